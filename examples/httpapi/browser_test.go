//go:build browser

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// browser returns a context of a new headless Chromium.
func browser(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		path, err = exec.LookPath("google-chrome")
	}
	if err != nil {
		skip(t, "chromium isn't installed (Debian package chromium)")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // it doesn't start as root with it
		chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()),
		chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Env("TMPDIR="+t.TempDir()), // it leaves things there
	)
	// Not t.Context(), which ends before the cleanup that closes the browser.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(func() {
		// Ends the browser and waits for it, so that its folder can be removed.
		if err := chromedp.Cancel(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Log(err)
		}
		cancel()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// skip skips t for the reason. In CI it fails t.
func skip(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("OIDKIT_NO_SKIP") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// A tab is a page in the browser.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// A look says how a tab shows its page.
type look struct {
	width  int64 // 390 is a phone, with a touchscreen
	dark   bool
	zone   string
	script string // runs before those of the page
}

// open shows url in a new tab of the browser.
func open(t *testing.T, browser context.Context, url string, l look) tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	tab := tab{t, ctx}
	phone := func(p *emulation.SetDeviceMetricsOverrideParams, touch *emulation.SetTouchEmulationEnabledParams) {}
	height := int64(900)
	if l.width < 640 {
		height, phone = 844, chromedp.EmulateTouch
	}
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	tab.do(chromedp.EmulateViewport(l.width, height, phone, chromedp.EmulateScale(1)))
	tab.do(func(ctx context.Context, target *chromedp.Target) (v chromedp.Void, err error) {
		if _, err = cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}); err != nil {
			return v, err
		}
		if _, err = cdp.Call(ctx, target, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: l.script}); err != nil {
			return v, err
		}
		if l.zone != "" {
			_, err = cdp.Call(ctx, target, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: l.zone})
		}
		return v, err
	})
	tab.do(chromedp.Navigate(url))
	tab.until(`document.body.dataset.loaded`)
	return tab
}

func (b tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// click clicks as a mouse does.
func (b tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// until waits for the JavaScript expression to be true.
func (b tab) until(expression string) {
	b.t.Helper()
	limit, cancel := context.WithTimeout(b.ctx, 4*time.Minute)
	defer cancel()
	// The page forbids eval, so that chromedp.Poll can't be used.
	_, err := chromedp.Run(limit, chromedp.Evaluate[bool](
		`(async () => { while (!(`+expression+`)) await new Promise((r) => setTimeout(r, 10)); return true })()`, chromedp.EvalAwaitPromise))
	if err != nil {
		var shows string
		shows, _ = chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.querySelector("main").innerText`))
		b.t.Fatalf("%v\nuntil %s; the page shows:\n%s", err, expression, shows)
	}
}

// eval returns the value of a JavaScript expression, or of its promise.
func eval[T any](b tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[json.RawMessage](`Promise.resolve(`+expression+`)`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%v in %s", err, expression)
	}
	var value T
	if err := json.Unmarshal(v, &value); err != nil {
		b.t.Fatalf("%v: %s is %s", err, expression, v)
	}
	return value
}

// text returns the text that is shown in an element.
func (b tab) text(id string) string {
	b.t.Helper()
	return eval[string](b, `document.getElementById("`+id+`").textContent`)
}

// screenshot keeps what the page looks like in the folder OIDKIT_SCREENSHOTS.
func (b tab) screenshot(name string) {
	b.t.Helper()
	dir := os.Getenv("OIDKIT_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
