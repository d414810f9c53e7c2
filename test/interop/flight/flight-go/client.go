package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

type session struct {
	flight.Client
	ctx context.Context
}

func connect(uri string) (*session, error) {
	location, err := url.Parse(uri)
	if err != nil {
		return nil, err
	}
	client, err := flight.NewClientWithMiddleware(location.Host, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if token := os.Getenv("FLIGHT_TOKEN"); token != "" {
		if ctx, err = client.AuthenticateBasicToken(ctx, "me", token); err != nil {
			return nil, err
		}
	}
	return &session{client, ctx}, nil
}

func path(names ...string) *flight.FlightDescriptor {
	return &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: names}
}

func command(what map[string]any) *flight.FlightDescriptor {
	text, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	return &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: text}
}

type listed struct {
	Path      []string `json:"path"`
	Columns   []string `json:"columns"`
	Rows      int64    `json:"rows"`
	Endpoints int      `json:"endpoints"`
}

func about(info *flight.FlightInfo) (listed, error) {
	schema, err := flight.DeserializeSchema(info.Schema, memory.DefaultAllocator)
	if err != nil {
		return listed{}, err
	}
	columns := make([]string, schema.NumFields())
	for i, field := range schema.Fields() {
		columns[i] = field.Name
	}
	return listed{info.FlightDescriptor.GetPath(), columns, info.TotalRecords, len(info.Endpoint)}, nil
}

func (c *session) list(criteria ...string) ([]listed, error) {
	stream, err := c.ListFlights(c.ctx, &flight.Criteria{Expression: []byte(strings.Join(criteria, ""))})
	if err != nil {
		return nil, err
	}
	found := []listed{}
	for {
		info, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		one, err := about(info)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
}

func (c *session) schema(names []string) (any, error) {
	info, err := c.GetFlightInfo(c.ctx, path(names...))
	if err != nil {
		return nil, err
	}
	result, err := c.GetSchema(c.ctx, path(names...))
	if err != nil {
		return nil, err
	}
	ofInfo, err := flight.DeserializeSchema(info.Schema, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	schema, err := flight.DeserializeSchema(result.Schema, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	types := map[string]string{}
	for _, field := range schema.Fields() {
		types[field.Name] = field.Type.String()
	}
	return map[string]any{"same": schema.Equal(ofInfo), "types": types}, nil
}

// batches are those of one ticket; they stay after the stream.
func (c *session) batches(ticket *flight.Ticket) (*arrow.Schema, []arrow.RecordBatch, error) {
	stream, err := c.DoGet(c.ctx, ticket)
	if err != nil {
		return nil, nil, err
	}
	return received(stream)
}

func received(stream flight.DataStreamReader) (*arrow.Schema, []arrow.RecordBatch, error) {
	reader, err := flight.NewRecordReader(stream)
	if err != nil {
		return nil, nil, err
	}
	defer reader.Release()
	batches := []arrow.RecordBatch{}
	for reader.Next() {
		batch := reader.RecordBatch()
		batch.Retain()
		batches = append(batches, batch)
	}
	if err := reader.Err(); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	return reader.Schema(), batches, nil
}

// table reads the endpoints of a path side by side and joins them in order.
func (c *session) table(names ...string) (*arrow.Schema, []arrow.RecordBatch, *flight.FlightInfo, error) {
	info, err := c.GetFlightInfo(c.ctx, path(names...))
	if err != nil {
		return nil, nil, nil, err
	}
	schema, err := flight.DeserializeSchema(info.Schema, memory.DefaultAllocator)
	if err != nil {
		return nil, nil, nil, err
	}
	parts := make([][]arrow.RecordBatch, len(info.Endpoint))
	failures := make([]error, len(info.Endpoint))
	var group sync.WaitGroup
	for i, endpoint := range info.Endpoint {
		group.Go(func() {
			var own *arrow.Schema
			own, parts[i], failures[i] = c.batches(endpoint.Ticket)
			if failures[i] == nil && !own.Equal(schema) {
				failures[i] = fmt.Errorf("endpoint %d has the schema %s, the flight has %s", i, own, schema)
			}
		})
	}
	group.Wait()
	all := []arrow.RecordBatch{}
	for _, part := range parts {
		all = append(all, part...)
	}
	return schema, all, info, errors.Join(failures...)
}

func (c *session) get(out string, names []string) (any, error) {
	schema, batches, info, err := c.table(names...)
	if err != nil {
		return nil, err
	}
	file, err := os.Create(out)
	if err != nil {
		return nil, err
	}
	writer := ipc.NewWriter(file, ipc.WithSchema(schema))
	for _, batch := range batches {
		if err := writer.Write(batch); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(writer.Close(), file.Close()); err != nil {
		return nil, err
	}
	endpoints := make([]json.RawMessage, len(info.Endpoint))
	for i, endpoint := range info.Endpoint {
		endpoints[i] = endpoint.AppMetadata
	}
	return map[string]any{"rows": count(batches), "columns": summaries(schema, batches), "endpoints": endpoints}, nil
}

func (c *session) copy(codec, from, to string, tables []string) (any, error) {
	options, err := codecOption(codec)
	if err != nil {
		return nil, err
	}
	for _, name := range tables {
		schema, batches, _, err := c.table(from, name)
		if err != nil {
			return nil, err
		}
		stream, err := c.DoPut(c.ctx)
		if err != nil {
			return nil, err
		}
		if err := send(stream, path(to, name), schema, batches, options); err != nil {
			return nil, err
		}
		for {
			if _, err := stream.Recv(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
		}
	}
	text, err := json.Marshal(map[string]string{"dataset": to})
	if err != nil {
		return nil, err
	}
	return c.action("commit", string(text))
}

type upload interface {
	flight.DataStreamWriter
	CloseSend() error
}

func send(stream upload, to *flight.FlightDescriptor, schema *arrow.Schema, batches []arrow.RecordBatch, options []ipc.Option) error {
	writer := flight.NewRecordWriter(stream, append(options, ipc.WithSchema(schema))...)
	writer.SetFlightDescriptor(to)
	var err error
	for _, batch := range batches {
		if err = writer.Write(batch); err != nil {
			break
		}
	}
	// A stream that the service has ended takes no more: why, is what it answers.
	if err = errors.Join(err, writer.Close()); errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, stream.CloseSend())
}

func (c *session) exchange(dataset, sql, rows string) (any, error) {
	most, err := strconv.Atoi(rows)
	if err != nil {
		return nil, err
	}
	_, batches, _, err := c.table(dataset, "obs")
	if err != nil {
		return nil, err
	}
	names := array.NewStringBuilder(memory.DefaultAllocator)
	scores := array.NewFloat64Builder(memory.DefaultAllocator)
	for _, batch := range batches {
		column := batch.Column(batch.Schema().FieldIndices("_index")[0])
		for i := 0; i < column.Len() && names.Len() < most; i++ {
			scores.Append(float64(names.Len()))
			names.Append(column.ValueStr(i))
		}
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "barcode", Type: arrow.BinaryTypes.String},
		{Name: "score", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	mine := array.NewRecordBatch(schema, []arrow.Array{names.NewArray(), scores.NewArray()}, int64(most))
	stream, err := c.DoExchange(c.ctx)
	if err != nil {
		return nil, err
	}
	what := command(map[string]any{"dataset": dataset, "sql": sql, "upload": "mine"})
	// In two batches.
	parts := []arrow.RecordBatch{mine.NewSlice(0, 7), mine.NewSlice(7, mine.NumRows())}
	if err := send(stream, what, schema, parts, nil); err != nil {
		return nil, err
	}
	_, answer, err := received(stream)
	if err != nil {
		return nil, err
	}
	found := []json.RawMessage{}
	for _, batch := range answer {
		text, err := batch.MarshalJSON()
		if err != nil {
			return nil, err
		}
		found = append(found, text)
	}
	return found, nil
}

func (c *session) renew(names []string) (any, error) {
	info, err := c.GetFlightInfo(c.ctx, path(names...))
	if err != nil {
		return nil, err
	}
	renewed, err := c.RenewFlightEndpoint(c.ctx, &flight.RenewFlightEndpointRequest{Endpoint: info.Endpoint[0]})
	if err != nil {
		return nil, err
	}
	_, batches, err := c.batches(renewed.Ticket)
	if err != nil {
		return nil, err
	}
	result, err := c.CancelFlightInfo(c.ctx, &flight.CancelFlightInfoRequest{Info: info})
	if err != nil {
		return nil, err
	}
	_, _, after := c.batches(info.Endpoint[0].Ticket)
	return map[string]any{
		"later":     !renewed.ExpirationTime.AsTime().Before(info.Endpoint[0].ExpirationTime.AsTime()),
		"rows":      count(batches),
		"cancelled": result.Status == flight.CancelStatusCancelled,
		"after":     fmt.Sprint(after),
	}, nil
}

func (c *session) ticket(text string) (any, error) {
	bytes, err := hex.DecodeString(text)
	if err != nil {
		return nil, err
	}
	_, batches, err := c.batches(&flight.Ticket{Ticket: bytes})
	return count(batches), err
}

func (c *session) action(kind, body string) (any, error) {
	stream, err := c.DoAction(c.ctx, &flight.Action{Type: kind, Body: []byte(body)})
	if err != nil {
		return nil, err
	}
	results := []json.RawMessage{}
	for {
		result, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return results, nil
		}
		if err != nil {
			return nil, err
		}
		results = append(results, result.Body)
	}
}
