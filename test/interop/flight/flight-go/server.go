package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

type service struct {
	flight.BaseFlightServer
	options []ipc.Option
	tables  []table
	lock    sync.Mutex
	failed  map[string]bool
}

// ticket is a run of batches of a table.
type ticket struct {
	Table string
	Start int
	End   int
}

func serve(options []ipc.Option) error {
	tables, err := servedTables()
	if err != nil {
		return err
	}
	server := flight.NewServerWithMiddleware(nil)
	if err := server.Init("127.0.0.1:0"); err != nil {
		return err
	}
	server.RegisterFlightService(&service{options: options, tables: tables, failed: map[string]bool{}})
	fmt.Println(server.Addr().String())
	return server.Serve()
}

func (s *service) table(name string) (*table, error) {
	for i := range s.tables {
		if s.tables[i].name == name {
			return &s.tables[i], nil
		}
	}
	return nil, status.Errorf(codes.NotFound, "no flight %q", name)
}

func (s *service) info(of *table) (*flight.FlightInfo, error) {
	info := &flight.FlightInfo{
		Schema:           flight.SerializeSchema(of.schema, memory.DefaultAllocator),
		FlightDescriptor: path(strings.Split(of.name, "/")...),
		TotalRecords:     -1,
		TotalBytes:       -1,
		Ordered:          true,
	}
	step := max(1, len(of.batches))
	if of.parts > 1 {
		step = (len(of.batches) + of.parts - 1) / of.parts
		info.TotalRecords = count(of.batches)
	}
	for start := 0; start == 0 || start < len(of.batches); start += step {
		text, err := json.Marshal(ticket{of.name, start, min(start+step, len(of.batches))})
		if err != nil {
			return nil, err
		}
		info.Endpoint = append(info.Endpoint, &flight.FlightEndpoint{
			Ticket:         &flight.Ticket{Ticket: text},
			Location:       []*flight.Location{{Uri: flight.LocationReuseConnection}},
			ExpirationTime: timestamppb.New(time.Now().Add(time.Hour)),
		})
	}
	return info, nil
}

func (s *service) ListFlights(_ *flight.Criteria, stream flight.FlightService_ListFlightsServer) error {
	for i := range s.tables {
		info, err := s.info(&s.tables[i])
		if err == nil {
			err = stream.Send(info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *service) asked(descriptor *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	of, err := s.table(strings.Join(descriptor.GetPath(), "/"))
	if err != nil {
		return nil, err
	}
	return s.info(of)
}

func (s *service) GetFlightInfo(_ context.Context, descriptor *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.asked(descriptor)
}

func (s *service) GetSchema(_ context.Context, descriptor *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	info, err := s.asked(descriptor)
	if err != nil {
		return nil, err
	}
	return &flight.SchemaResult{Schema: info.Schema}, nil
}

func (s *service) DoGet(asked *flight.Ticket, stream flight.FlightService_DoGetServer) error {
	var of ticket
	if err := json.Unmarshal(asked.Ticket, &of); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	table, err := s.table(of.Table)
	if err != nil {
		return err
	}
	options := append([]ipc.Option{ipc.WithSchema(table.schema), ipc.WithDictionaryDeltas(table.deltas)}, s.options...)
	writer := flight.NewRecordWriter(stream, options...)
	for i, batch := range table.batches[of.Start:of.End] {
		// The endpoints of several each end once after their first batch: they may be read again until they expire.
		if i == 1 && table.parts > 1 && s.failsNow(string(asked.Ticket)) {
			return status.Error(codes.Unavailable, "gone for a moment")
		}
		if err := writer.WriteWithAppMetadata(batch, []byte("rows")); err != nil {
			return err
		}
	}
	return writer.Close()
}

func (s *service) failsNow(ticket string) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	before := s.failed[ticket]
	s.failed[ticket] = true
	return !before
}
