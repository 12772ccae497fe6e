package server

import (
	"github.com/gofiber/fiber/v3"
	"github.com/valyala/fasthttp"

	"github.com/hanzoai/benchlab/workloads/server/serverspec"
)

// frameworks makes the handler of each framework. All run on the same fasthttp server and
// answer with the same bytes, so that their difference is the framework alone.
var frameworks = map[string]func() fasthttp.RequestHandler{
	serverspec.FastHTTP: func() fasthttp.RequestHandler { return handle },
	serverspec.Fiber:    newFiber,
}

// newFiber is handle by way of a Fiber application: its router and its context, not the
// settings of its server.
func newFiber() fasthttp.RequestHandler {
	app := fiber.New(fiber.Config{
		CaseSensitive:           true,
		StrictRouting:           true,
		DisableHeadAutoRegister: true,
		ErrorHandler: func(c fiber.Ctx, _ error) error {
			// Without the Allow header that the router sets for another method.
			c.RequestCtx().Response.Header.Del(fiber.HeaderAllow)
			c.RequestCtx().SetStatusCode(fasthttp.StatusNotFound)
			return nil
		},
	})
	app.Get("/health", func(c fiber.Ctx) error {
		c.RequestCtx().SetContentType("text/plain")
		return c.SendString("ok")
	})
	return app.Handler()
}

// frameworkHandler makes the handler of a framework; the empty name is fasthttp.
func frameworkHandler(name string) (func() fasthttp.RequestHandler, error) {
	if name == "" {
		name = serverspec.FastHTTP
	}
	if err := serverspec.CheckFramework(name); err != nil {
		return nil, err
	}
	return frameworks[name], nil
}
