package main

import (
	"crypto/md5"
	"fmt"
	"io"
	"math/rand/v2"
	"text/tabwriter"
)

// hostProcess returns the process value of the layout before 2018.
func hostProcess(host string, pid uint16) (process [5]byte) {
	sum := md5.Sum([]byte(host))
	return [5]byte{sum[0], sum[1], sum[2], byte(pid >> 8), byte(pid)}
}

// hostBits are the bits of the host name in such a value.
const hostBits = 24

// containers prints how often two containers have the same host and process ID.
func containers(w io.Writer, random *rand.Rand) error {
	fmt.Fprintf(w, "web-0, pid 1, in one cluster:  %x\n", hostProcess("web-0", 1))
	fmt.Fprintf(w, "web-0, pid 1, in another one:  %x\n", hostProcess("web-0", 1))

	fmt.Fprintln(w, "\nDocker's host names of 12 random digits, pid 1: the chance that two containers share a value")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "containers\tsimulated\tformula for 24 bits\trandom, 40 bits\t")
	for _, n := range []int{10, 1000, 3000, 10_000} {
		trials := 2_000_000 / n
		formula := fleet{processes: float64(n), rate: 1, seconds: 1, processBits: hostBits}.odds()
		ours := fleet{processes: float64(n), rate: 1, seconds: 1}.odds()
		fmt.Fprintf(table, "%d\t%.3g %%\t%.3g %%\t%s\t\n", n, 100*shareHost(n, trials, random), 100*formula.sameProcess, chance(ours.sameProcess))
	}
	table.Flush()

	fmt.Fprintln(w, "\nTwo containers with one value: the chance that they make the same ID, and how many, in a day")
	table = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "IDs/s each\tchance\tIDs that come twice\t")
	for _, rate := range []float64{0.1, 1, 10, 100, 1000} {
		c := fleet{processes: 2, rate: rate, seconds: 86400}.odds()
		fmt.Fprintf(table, "%g\t%.3g %%\t%.4g\t\n", rate, 100*c.meet, c.repeats*(1<<processBits))
	}
	return table.Flush()
}

// shareHost returns how often two of n containers had the same process value.
func shareHost(n, trials int, random *rand.Rand) float64 {
	shared := 0
	for range trials {
		seen := make(map[[5]byte]bool, n)
		for range n {
			seen[hostProcess(fmt.Sprintf("%012x", random.Uint64()>>16), 1)] = true
		}
		if len(seen) < n {
			shared++
		}
	}
	return float64(shared) / float64(trials)
}
