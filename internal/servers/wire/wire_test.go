package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// echo returns the address of a server that answers what it hears, with a prefix.
func echo(t *testing.T, prefix string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				b := make([]byte, 100)
				for {
					n, err := c.Read(b)
					if err != nil {
						return
					}
					c.Write(append([]byte(prefix), b[:n]...))
				}
			}()
		}
	}()
	return l.Addr().String()
}

// ask sends "ping" and returns all that comes back before the connection ends, or is
// silent.
func ask(t *testing.T, c net.Conn) (answer string, err error) {
	t.Helper()
	if _, err := c.Write([]byte("ping")); err != nil {
		return "", err
	}
	c.SetReadDeadline(time.Now().Add(time.Second))
	b := make([]byte, 5)
	n, err := io.ReadFull(c, b)
	return string(b[:n]), err
}

func TestBreak(t *testing.T) {
	for fault, want := range map[Fault]string{Cut: "", LostRequest: "", HalfRequest: "", LostAnswer: "", HalfAnswer: "1p", Silence: ""} {
		w := Start(t, echo(t, "1"))
		c, err := net.Dial("tcp", w.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if got, err := ask(t, c); got != "1ping" || err != nil {
			t.Fatalf("before fault %d: %q, %v", fault, got, err)
		}
		w.Break(fault)
		got, err := ask(t, c)
		if got != want || err == nil || errors.Is(err, os.ErrDeadlineExceeded) != (fault == Silence) {
			t.Errorf("fault %d: %q, %v, want %q", fault, got, err, want)
		}
		later, err := net.Dial("tcp", w.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer later.Close()
		if got, err := ask(t, later); got != "1ping" || err != nil {
			t.Errorf("after fault %d: %q, %v", fault, got, err)
		}
	}
}

func TestTo(t *testing.T) {
	w := Start(t, echo(t, "1"))
	c, err := net.Dial("tcp", w.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got, err := ask(t, c); got != "1ping" || err != nil {
		t.Fatal(got, err)
	}
	w.To(echo(t, "2"))
	if got, err := ask(t, c); err == nil {
		t.Errorf("the connection to the first server answers %q", got)
	}
	later, err := net.Dial("tcp", w.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	if got, err := ask(t, later); got != "2ping" || err != nil {
		t.Error(got, err)
	}
}
