package server

import "github.com/valyala/fasthttp"

// handle answers GET /health with "ok", and all else with 404. It allocates nothing.
func handle(ctx *fasthttp.RequestCtx) {
	if ctx.IsGet() && string(ctx.Path()) == "/health" {
		ctx.SetContentType("text/plain")
		ctx.SetBodyString("ok")
		return
	}
	ctx.SetStatusCode(fasthttp.StatusNotFound)
}
