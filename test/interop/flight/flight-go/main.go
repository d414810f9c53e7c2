// Command flight-go is arrow-go on either side of Flight: a client of `annarrow serve`, and a service for the client of
// annarrow. What it finds it prints as one line of JSON.
//
//	flight-go list URI [CRITERIA]
//	flight-go schema URI NAME…                     GetSchema and GetFlightInfo of a path
//	flight-go get URI OUT.arrows NAME…             all endpoints of a path, side by side
//	flight-go copy URI CODEC FROM TO TABLE…        DoGet, DoPut of the tables, commit
//	flight-go exchange URI DATASET SQL ROWS        DoExchange with the first names of obs and a score as table "mine"
//	flight-go renew URI NAME…                      RenewFlightEndpoint, DoGet, CancelFlightInfo, DoGet
//	flight-go ticket URI HEX                       DoGet of a ticket
//	flight-go action URI KIND BODY
//	flight-go sql URI lists SCHEMA | ask SQL | prepared SQL VALUES | cancel SQL
//	flight-go serve CODEC                          prints its port first
//
// CODEC is plain, lz4 or zstd. With FLIGHT_TOKEN in the environment the client logs in first. The status of a call that
// fails is on stderr, as "NotFound: message".
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc/status"
)

func main() {
	found, err := run(os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(found)
	}
	if err != nil {
		var call interface{ GRPCStatus() *status.Status }
		if errors.As(err, &call) {
			fmt.Fprintf(os.Stderr, "%s: %s\n", call.GRPCStatus().Code(), call.GRPCStatus().Message())
		} else {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

func run(arguments []string) (any, error) {
	if len(arguments) == 2 && arguments[0] == "serve" {
		codec, err := codecOption(arguments[1])
		if err != nil {
			return nil, err
		}
		return nil, serve(codec)
	}
	if len(arguments) < 2 {
		return nil, errors.New("which command, and on which service?")
	}
	client, err := connect(arguments[1])
	if err != nil {
		return nil, err
	}
	defer client.Close()
	kind, rest := arguments[0], arguments[2:]
	switch {
	case kind == "list":
		return client.list(rest...)
	case kind == "schema":
		return client.schema(rest)
	case kind == "get" && len(rest) >= 1:
		return client.get(rest[0], rest[1:])
	case kind == "copy" && len(rest) >= 3:
		return client.copy(rest[0], rest[1], rest[2], rest[3:])
	case kind == "exchange" && len(rest) == 3:
		return client.exchange(rest[0], rest[1], rest[2])
	case kind == "renew":
		return client.renew(rest)
	case kind == "ticket" && len(rest) == 1:
		return client.ticket(rest[0])
	case kind == "action" && len(rest) == 2:
		return client.action(rest[0], rest[1])
	case kind == "sql" && len(rest) >= 1:
		return client.sql(rest[0], rest[1:])
	}
	return nil, fmt.Errorf("no command %v", arguments)
}

// codecOption is how bodies are compressed.
func codecOption(name string) ([]ipc.Option, error) {
	switch name {
	case "plain":
		return nil, nil
	case "lz4":
		return []ipc.Option{ipc.WithLZ4()}, nil
	case "zstd":
		return []ipc.Option{ipc.WithZstd()}, nil
	}
	return nil, fmt.Errorf("no codec %q", name)
}
