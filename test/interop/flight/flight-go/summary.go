package main

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// summary is what the values of a column come to, as this library reads them.
type summary struct {
	Type  string         `json:"type"`
	Nulls int            `json:"nulls"`
	Sum   *float64       `json:"sum,omitempty"`
	Count map[string]int `json:"count,omitempty"`
}

func count(batches []arrow.RecordBatch) (rows int64) {
	for _, batch := range batches {
		rows += batch.NumRows()
	}
	return rows
}

func summaries(schema *arrow.Schema, batches []arrow.RecordBatch) map[string]summary {
	found := map[string]summary{}
	for i, field := range schema.Fields() {
		of := summary{Type: field.Type.String()}
		for _, batch := range batches {
			add(&of, batch.Column(i))
		}
		found[field.Name] = of
	}
	return found
}

func add(of *summary, column arrow.Array) {
	of.Nulls += column.NullN()
	switch values := column.(type) {
	case *array.Int32:
		total(of, values.Int32Values())
	case *array.Int64:
		total(of, values.Int64Values())
	case *array.Float32:
		total(of, values.Float32Values())
	case *array.Float64:
		total(of, values.Float64Values())
	case *array.Dictionary:
		if of.Count == nil {
			of.Count = map[string]int{}
		}
		for i := range values.Len() {
			if values.IsValid(i) {
				of.Count[values.Dictionary().ValueStr(values.GetValueIndex(i))]++
			}
		}
	}
}

func total[T int32 | int64 | float32 | float64](of *summary, values []T) {
	if of.Sum == nil {
		of.Sum = new(float64)
	}
	for _, value := range values {
		*of.Sum += float64(value)
	}
}
