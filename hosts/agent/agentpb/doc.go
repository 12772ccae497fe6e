// Package agentpb is the protocol between the provider and the agent on a host,
// generated from agent.proto. It knows no transport.
//
// "Unimplemented" and "not implemented" in agent_grpc.pb.go are the generator's: gRPC wants
// every server to embed that type, so that a call which a later protocol adds is refused in
// words. The agent itself implements each of them.
package agentpb

//go:generate ../../../tools/protoc/generate

// Greeting is the first line that the agent writes: what stands before it is a login
// script's, what follows is gRPC.
const Greeting = "benchlab-agent speaks gRPC from here\n"
