package main

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

type table struct {
	name    string
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	parts   int
	deltas  bool
}

func tableOf(name string, batches ...arrow.RecordBatch) table {
	return table{name: name, schema: batches[0].Schema(), batches: batches, parts: 1}
}

func servedTables() ([]table, error) {
	types, err := manyTypes()
	if err != nil {
		return nil, err
	}
	numbers := tableOf("folder/numbers", numberBatches()...)
	numbers.parts = 5
	replaced, err := coded([]string{`["a"]`, `["b", "a"]`, `["c"]`, `["a"]`})
	if err != nil {
		return nil, err
	}
	grown, err := coded([]string{`["a"]`, `["a", "b"]`, `["a", "b"]`, `["a", "b", "a longer text", "d"]`, `["x"]`, `["x", "y"]`})
	if err != nil {
		return nil, err
	}
	growing := tableOf("growing", grown...)
	growing.deltas = true
	empty := tableOf("folder/none", types)
	empty.batches = nil
	return []table{tableOf("types", types, types.NewSlice(1, 3)), numbers, tableOf("replaced", replaced...), growing, empty}, nil
}

// numberBatches have enough rows that compression pays.
func numberBatches() []arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int32},
		{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "t", Type: arrow.BinaryTypes.String},
	}, nil)
	batches := []arrow.RecordBatch{}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range 100_000 {
		builder.Field(0).(*array.Int32Builder).Append(int32(i))
		if i%7 == 3 {
			builder.Field(1).AppendNull()
		} else {
			builder.Field(1).(*array.Float64Builder).Append(float64(i) / 4)
		}
		builder.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("row %d", i))
		if i%5000 == 4999 {
			batches = append(batches, builder.NewRecordBatch())
		}
	}
	return batches
}

// coded gives one batch for each dictionary: each of its values in turn, and null.
func coded(dictionaries []string) ([]arrow.RecordBatch, error) {
	kind := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: kind, Nullable: true}}, nil)
	batches := []arrow.RecordBatch{}
	for _, dictionary := range dictionaries {
		codes := []string{}
		for i := range strings.Count(dictionary, ",") + 1 {
			codes = append(codes, fmt.Sprint(i))
		}
		column, err := array.DictArrayFromJSON(memory.DefaultAllocator, kind, "["+strings.Join(codes, ",")+",null]", dictionary)
		if err != nil {
			return nil, err
		}
		batches = append(batches, array.NewRecordBatch(schema, []arrow.Array{column}, int64(column.Len())))
	}
	return batches, nil
}

// manyTypes are three rows of the types that this library writes; the last of each is null where it can be.
func manyTypes() (arrow.RecordBatch, error) {
	fields, columns := []arrow.Field{}, []arrow.Array{}
	for _, one := range []struct {
		name string
		kind arrow.DataType
		json string
	}{
		{"int8", arrow.PrimitiveTypes.Int8, `[-128, 127, null]`},
		{"int16", arrow.PrimitiveTypes.Int16, `[-32768, 32767, null]`},
		{"int64", arrow.PrimitiveTypes.Int64, `["-9223372036854775808", "9223372036854775807", null]`},
		{"uint8", arrow.PrimitiveTypes.Uint8, `[0, 255, null]`},
		{"uint32", arrow.PrimitiveTypes.Uint32, `[0, 4294967295, null]`},
		{"uint64", arrow.PrimitiveTypes.Uint64, `["0", "18446744073709551615", null]`},
		{"float16", arrow.FixedWidthTypes.Float16, `[1.5, -2, null]`},
		{"float32", arrow.PrimitiveTypes.Float32, `[0.1, -2, null]`},
		{"bool", arrow.FixedWidthTypes.Boolean, `[true, false, null]`},
		{"text", arrow.BinaryTypes.String, `["", "ä", null]`},
		{"large_text", arrow.BinaryTypes.LargeString, `["x", "", null]`},
		{"view", arrow.BinaryTypes.StringView, `["short", "a longer text than a view holds", null]`},
		{"bytes", arrow.BinaryTypes.Binary, `["AP8=", "", null]`},
		{"fixed", &arrow.FixedSizeBinaryType{ByteWidth: 3}, `["YWJj", "eHl6", null]`},
		{"null", arrow.Null, `[null, null, null]`},
		{"day", arrow.FixedWidthTypes.Date32, `["1969-01-01", "2024-02-29", null]`},
		{"clock", arrow.FixedWidthTypes.Time64us, `["00:00:01", "23:59:59.000001", null]`},
		{"stamp", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, `["1969-01-01T00:00:00Z", "2024-02-29T12:00:00Z", null]`},
		{"span", arrow.FixedWidthTypes.Duration_ms, `[1, -5, null]`},
		{"decimal", &arrow.Decimal128Type{Precision: 9, Scale: 2}, `["1.25", "-3.50", null]`},
		{"list", arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[1, null], [], null]`},
		{"large_list", arrow.LargeListOf(arrow.BinaryTypes.String), `[["a"], ["b", null], null]`},
		{"pair", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), `[[1, 2], [3, null], null]`},
		{"struct", arrow.StructOf(
			arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
			arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true},
		), `[{"a": 1, "b": "x"}, {"a": null, "b": "y"}, null]`},
		{"map", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), `[[{"key": "k", "value": 1}], [], null]`},
	} {
		column, _, err := array.FromJSON(memory.DefaultAllocator, one.kind, strings.NewReader(one.json))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.name, err)
		}
		fields = append(fields, arrow.Field{Name: one.name, Type: one.kind, Nullable: true})
		columns = append(columns, column)
	}
	metadata := arrow.NewMetadata([]string{"made"}, []string{"by arrow-go"})
	return array.NewRecordBatch(arrow.NewSchema(fields, &metadata), columns, 3), nil
}
