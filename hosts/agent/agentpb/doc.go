// Package agentpb is the protocol between the provider and the agent on a host,
// generated from agent.proto. It knows no transport.
package agentpb

//go:generate ../../../tools/protoc/generate

// Greeting is the first line that the agent writes: what stands before it is a login
// script's, what follows is gRPC.
const Greeting = "benchlab-agent speaks gRPC from here\n"
