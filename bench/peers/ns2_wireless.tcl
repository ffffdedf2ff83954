# Base TCP over a wired and a lossy link in stock ns-2, for the side-by-side measurements of acklab (vaidya1999 §6).
#
# S - BS - WH: 10 Mbit/s and 20 ms, then 2 Mbit/s; queues of 40; Reno with a window of 20; a packet of 1000 bytes on the
# wire is lost on the wired link with probability `loss`, a frame of L bytes on the lossy one with 1 - (1 - 1/mean)^L.
# What it is not: the private Snoop, link-level retransmission or sink of the paper.
#
#   ns ns2_wireless.tcl -delay 1ms -loss 0.01 -mean 16384 -duration 20 -seed 1     prints one JSON line
#
# Options take the form `-name value`; an unknown one is an error (exit code 2).

array set opt {
    delay    1ms
    loss     0
    mean     16384
    duration 20
    seed     1
    headers  used
}

foreach {name value} $argv {
    set name [string range $name 1 end]
    if {![info exists opt($name)]} {
        puts stderr "ns2_wireless.tcl: unknown option -$name; accepted: [lsort [array names opt]]"
        exit 2
    }
    set opt($name) $value
}

# Only the headers in use: the faster way, and nothing else changes.
if {$opt(headers) eq "used"} {
    remove-all-packet-headers
    foreach header {IP TCP Common Flags RTP} { add-packet-header $header }
}
ns-random $opt(seed)
set ns [new Simulator]
foreach name {s bs wh} { set $name [$ns node] }
$ns duplex-link $s $bs 10Mb 20ms DropTail
$ns duplex-link $bs $wh 2Mb $opt(delay) DropTail
# ns-2 drops what would bring its queue to the limit: 40 packets wait.
foreach {a b} "$s $bs $bs $s $bs $wh $wh $bs" { $ns queue-limit $a $b 41 }

# Errors of both directions of the lossy link, each with a generator of its own.
if {$opt(mean) > 0} {
    foreach {a b} "$bs $wh $wh $bs" {
        set errors [new ErrorModel]
        $errors unit byte
        $errors set rate_ [expr {1.0 / $opt(mean)}]
        $errors ranvar [new RandomVariable/Uniform]
        $errors drop-target [new Agent/Null]
        $ns link-lossmodel $errors $a $b
    }
}
# Congestion takes data packets before the queue; there are no others in this direction.
if {$opt(loss) > 0} {
    set congestion [new ErrorModel]
    $congestion unit pkt
    $congestion set rate_ $opt(loss)
    $congestion ranvar [new RandomVariable/Uniform]
    $congestion drop-target [new Agent/Null]
    $ns lossmodel $congestion $s $bs
}

set tcp [new Agent/TCP/Reno]
$tcp set window_ 20
$tcp set windowInit_ 1
$tcp set packetSize_ 960
$tcp set tcpTick_ 0.1
$tcp set minrto_ 0.2
$tcp set rtxcur_init_ 6.0
$tcp set singledup_ 0
$tcp set syn_ false
$tcp set delay_growth_ false
set sink [new Agent/TCPSink]
$ns attach-agent $s $tcp
$ns attach-agent $wh $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
set start [new RandomVariable/Uniform]
$start set min_ 0.0
$start set max_ 1.0
$ns at [$start value] "$ftp start"

# The largest resident set of this process so far, in kB; 0 where the system does not tell.
proc peak_rss_kb {} {
    if {[catch {open /proc/self/status} status]} { return 0 }
    set found 0
    regexp {VmHWM:\s*(\d+)} [read $status] -> found
    close $status
    return $found
}

proc finish {} {
    global opt wall_start tcp
    set wall [expr {([clock microseconds] - $wall_start) / 1e6}]
    puts [format {{"simulator": "ns-2", "seed": %d, "simulated_s": %s, "wall_s": %.6f, "delivered": %d, "timeouts": %d,\
        "peak_rss_kb": %d}} $opt(seed) $opt(duration) $wall [$tcp set ack_] [$tcp set nrexmit_] [peak_rss_kb]]
    exit 0
}

$ns at $opt(duration) finish
set wall_start [clock microseconds]
$ns run
