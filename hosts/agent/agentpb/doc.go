// Package agentpb is the protocol between the provider and the agent on a host,
// generated from agent.proto. It knows no transport.
package agentpb

//go:generate ../../../tools/protoc/generate
