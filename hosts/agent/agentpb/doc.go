// Package agentpb is the protocol between the provider and the agent on a host,
// generated from agent.proto. It knows no transport.
package agentpb

//go:generate protoc -I ../../.. --go_out=../../.. --go_opt=paths=source_relative --go-grpc_out=../../.. --go-grpc_opt=paths=source_relative hosts/agent/agentpb/agent.proto

// Greeting is the first line that the agent writes: what stands before it is a login
// script's, what follows is gRPC.
const Greeting = "benchlab-agent speaks gRPC from here\n"
