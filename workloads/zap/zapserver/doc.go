// Package zapserver answers HTTP requests that come in ZAP frames, with the same
// fasthttp.RequestHandler that answers those of HTTP/1.1.
//
// A connection that does nothing costs its goroutine and 4 KiB. One that answers has a
// context and buffers of its own, which it uses for all its requests, so that on a warm
// connection none allocates. Requests that came together are answered with one write. A large
// body is sent from where the handler left it, and a request's body is read where it arrived:
// handlers must not keep it, nor the context, after they return.
//
// It knows neither what is answered nor who asks, and not how its listener was made. Unlike
// with fasthttp's own server, Time and ID of a context are those of the connection, and there
// is no way to hijack one.
package zapserver
