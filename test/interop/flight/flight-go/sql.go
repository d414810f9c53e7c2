package main

import (
	"context"
	"errors"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
)

// sql speaks Flight SQL: lists of what there is, statements, prepared statements, cancelling.
func (s *session) sql(kind string, arguments []string) (any, error) {
	client := &flightsql.Client{Client: s.Client, Alloc: memory.DefaultAllocator}
	switch {
	case kind == "lists" && len(arguments) == 1:
		return s.lists(client, arguments[0])
	case kind == "ask" && len(arguments) == 1:
		return s.rows(client.Execute(s.ctx, arguments[0]))(client)
	case kind == "prepared" && len(arguments) == 2:
		return s.prepared(client, arguments[0], arguments[1])
	case kind == "cancel" && len(arguments) == 1:
		return s.cancelled(client, arguments[0])
	}
	return nil, errors.New("lists SCHEMA, ask SQL, prepared SQL VALUES or cancel SQL")
}

func (s *session) lists(client *flightsql.Client, schema string) (any, error) {
	found := map[string]any{}
	for name, call := range map[string]func() (*flight.FlightInfo, error){
		"catalogs": func() (*flight.FlightInfo, error) { return client.GetCatalogs(s.ctx) },
		"schemas": func() (*flight.FlightInfo, error) {
			return client.GetDBSchemas(s.ctx, &flightsql.GetDBSchemasOpts{})
		},
		"tables": func() (*flight.FlightInfo, error) {
			return client.GetTables(s.ctx, &flightsql.GetTablesOpts{DbSchemaFilterPattern: &schema})
		},
		"table types": func() (*flight.FlightInfo, error) { return client.GetTableTypes(s.ctx) },
		"types":       func() (*flight.FlightInfo, error) { return client.GetXdbcTypeInfo(s.ctx, nil) },
		"keys": func() (*flight.FlightInfo, error) {
			return client.GetPrimaryKeys(s.ctx, flightsql.TableRef{DBSchema: &schema, Table: "obs"})
		},
	} {
		rows, err := s.rows(call())(client)
		if err != nil {
			return nil, err
		}
		found[name] = rows
	}
	return found, nil
}

func (s *session) prepared(client *flightsql.Client, sql, values string) (any, error) {
	statement, err := client.Prepare(s.ctx, sql)
	if err != nil {
		return nil, err
	}
	defer statement.Close(s.ctx)
	types := []string{}
	for _, field := range statement.ParameterSchema().Fields() {
		types = append(types, field.Type.String())
	}
	bound, _, err := array.RecordFromJSON(memory.DefaultAllocator, statement.ParameterSchema(), strings.NewReader(values))
	if err != nil {
		return nil, err
	}
	statement.SetParameters(bound)
	rows, err := s.rows(statement.Execute(s.ctx))(client)
	return map[string]any{"types": types, "columns": names(statement.DatasetSchema()), "rows": rows}, err
}

// cancelled takes one batch of a statement and cancels it; what the next batches say is the error.
func (s *session) cancelled(client *flightsql.Client, sql string) (any, error) {
	info, err := client.Execute(s.ctx, sql)
	if err != nil {
		return nil, err
	}
	stream, err := client.DoGet(s.ctx, info.Endpoint[0].Ticket)
	if err != nil {
		return nil, err
	}
	defer stream.Release()
	if !stream.Next() {
		return nil, errors.New("no batch before it is cancelled")
	}
	result, err := client.CancelFlightInfo(s.ctx, &flight.CancelFlightInfoRequest{Info: info})
	if err != nil {
		return nil, err
	}
	for stream.Next() {
	}
	if stream.Err() == nil {
		return nil, errors.New("all batches came")
	}
	return map[string]any{"status": result.Status.String(), "error": stream.Err().Error()}, nil
}

// rows are all rows of a flight, endpoint by endpoint.
func (s *session) rows(info *flight.FlightInfo, err error) func(*flightsql.Client) ([]any, error) {
	return func(client *flightsql.Client) ([]any, error) {
		if err != nil {
			return nil, err
		}
		found := []any{}
		for _, endpoint := range info.Endpoint {
			if err := s.endpoint(client, endpoint, &found); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
}

func (s *session) endpoint(client *flightsql.Client, endpoint *flight.FlightEndpoint, found *[]any) error {
	ctx, done := context.WithCancel(s.ctx)
	defer done()
	stream, err := client.DoGet(ctx, endpoint.Ticket, grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	defer stream.Release()
	for stream.Next() {
		batch := stream.RecordBatch()
		for row := range int(batch.NumRows()) {
			values := map[string]any{}
			for i, column := range batch.Columns() {
				values[batch.ColumnName(i)] = column.GetOneForMarshal(row)
			}
			*found = append(*found, values)
		}
	}
	return stream.Err()
}

func names(schema *arrow.Schema) []string {
	found := []string{}
	for _, field := range schema.Fields() {
		found = append(found, field.Name)
	}
	return found
}
