# TCP transfers over 802.11 nodes in stock ns-2, written for the side-by-side measurements of acklab.
#
# What it is: a parameterised scenario (a chain, or explicit positions) with ns-2's own defaults for the
# radio, the DCF, AODV and NewReno; the only values set are the ones listed in `opt` below.
# d = 1 is TCPSink, d = 2 is TCPSink/DelAck; more than ns-2 has needs `-sink` with the library that sink.py builds.
# What it is not: a model of any private extension of the papers.
#
#   ns ns2_chain.tcl -nodes 9 -window 8 -d 1 -seed 1              prints one JSON line; tracing is off
#   ns ns2_chain.tcl -nodes 9 -window 8 -d 1 -trace run.tr -cwnd cwnd.tr
#   ns ns2_chain.tcl -nodes 9 -window 8 -d 3 -sink countedsink.so
#   ns ns2_chain.tcl -nodes 9 -flows "0 8 8 0" -variant vegas     from 0 to 8 and from 8 to 0
#
# Options take the form `-name value`; an unknown one is an error (exit code 2).

array set opt {
    nodes     9
    window    8
    d         1
    rate      1Mb
    basic     1Mb
    payload   1000
    variant   newreno
    flows     ""
    spacing   200
    positions ""
    routing   AODV
    start     1.0
    duration  150.0
    interval  100ms
    sink      ""
    seed      1
    headers   used
    trace     ""
    cwnd      ""
}

proc fail {message} {
    puts stderr "ns2_chain.tcl: $message"
    exit 2
}

foreach {name value} $argv {
    set name [string range $name 1 end]
    if {![info exists opt($name)]} {
        fail "unknown option -$name; accepted: [lsort [array names opt]]"
    }
    set opt($name) $value
}
if {![string is integer -strict $opt(d)] || $opt(d) < 1} {
    fail "-d $opt(d): accepted: a whole number of segments from 1"
}
if {$opt(sink) ne ""} {
    load $opt(sink) Countedsink
    Agent/TCPSink/DelAck/Counted set count_ $opt(d)
} elseif {$opt(d) > 2} {
    fail "-d $opt(d): stock ns-2 has d = 1 (TCPSink) and d = 2 (TCPSink/DelAck) only; more needs -sink (see sink.py)"
}

# Positions: "x0 y0 x1 y1 …", or a chain along x. ns-2 keeps nodes off the border of its area, hence the margin.
set margin 10.0
set coordinates {}
if {$opt(positions) eq ""} {
    for {set i 0} {$i < $opt(nodes)} {incr i} {
        lappend coordinates [expr {$i * $opt(spacing)}] 0
    }
} else {
    set coordinates $opt(positions)
    set opt(nodes) [expr {[llength $coordinates] / 2}]
}
set width 0
set height 0
foreach {x y} $coordinates {
    if {$x > $width} { set width $x }
    if {$y > $height} { set height $y }
}

# A packet of ns-2 carries every header it knows; its manual advises to keep only those in use, which
# makes this run about 1.4 times as fast and changes nothing else. `-headers all` is the default of ns-2.
if {$opt(headers) eq "used"} {
    remove-all-packet-headers
    foreach header {IP TCP ARP AODV LL Mac Common Flags RTP} {
        add-packet-header $header
    }
    # DSR has a header of its own; DSDV's updates are messages.
    if {$opt(routing) eq "DSR"} { add-packet-header SR }
    if {$opt(routing) eq "DSDV"} { add-packet-header Message }
} elseif {$opt(headers) ne "all"} {
    fail "-headers $opt(headers): accepted: used, all"
}

ns-random $opt(seed)
Mac/802_11 set dataRate_ $opt(rate)
Mac/802_11 set basicRate_ $opt(basic)

set ns [new Simulator]
# The drop objects of a node need some file even when every trace is off.
set trace_file [open [expr {$opt(trace) eq "" ? "/dev/null" : $opt(trace)}] w]
$ns trace-all $trace_file
set tracing [expr {$opt(trace) eq "" ? "OFF" : "ON"}]

set topography [new Topography]
$topography load_flatgrid [expr {$width + 2 * $margin}] [expr {$height + 2 * $margin}]
create-god $opt(nodes)

# DSR takes packets back out of its queue, which only this one allows.
set queue [expr {$opt(routing) eq "DSR" ? "CMUPriQueue" : "Queue/DropTail/PriQueue"}]
$ns node-config -adhocRouting $opt(routing) \
    -llType LL \
    -macType Mac/802_11 \
    -ifqType $queue \
    -ifqLen 50 \
    -antType Antenna/OmniAntenna \
    -propType Propagation/TwoRayGround \
    -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] \
    -topoInstance $topography \
    -agentTrace $tracing \
    -routerTrace $tracing \
    -macTrace $tracing \
    -movementTrace OFF

for {set i 0} {$i < $opt(nodes)} {incr i} {
    set node($i) [$ns node]
    $node($i) random-motion 0
    $node($i) set X_ [expr {[lindex $coordinates [expr {2 * $i}]] + $margin}]
    $node($i) set Y_ [expr {[lindex $coordinates [expr {2 * $i + 1}]] + $margin}]
    $node($i) set Z_ 0.0
}

# ns-2's Vegas forgets the 40 bytes of headers that the other senders add.
array set agents {newreno {Agent/TCP/Newreno 0} vegas {Agent/TCP/Vegas 40}}
if {![info exists agents($opt(variant))]} {
    fail "-variant $opt(variant): accepted: newreno, vegas"
}
lassign $agents($opt(variant)) agent headers
# Flows: "from to from to …", or one from the first node to the last.
if {$opt(flows) eq ""} {
    set opt(flows) [list 0 [expr {$opt(nodes) - 1}]]
}
set senders {}
foreach {from to} $opt(flows) {
    set tcp [new $agent]
    $tcp set window_ $opt(window)
    $tcp set packetSize_ [expr {$opt(payload) + $headers}]
    if {$opt(d) == 1} {
        set sink [new Agent/TCPSink]
    } else {
        set sink [new Agent/TCPSink/DelAck[expr {$opt(sink) eq "" ? "" : "/Counted"}]]
        $sink set interval_ $opt(interval)
    }
    $ns attach-agent $node($from) $tcp
    $ns attach-agent $node($to) $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    lappend senders $tcp
    $ns at $opt(start) "$ftp start"
}
# What is traced and told of one sender is the first one's.
set tcp [lindex $senders 0]

if {$opt(cwnd) ne ""} {
    set cwnd_file [open $opt(cwnd) w]
    $tcp attach $cwnd_file
    $tcp tracevar cwnd_
}

# The largest resident set of this process so far, in kB; 0 where the system does not tell.
proc peak_rss_kb {} {
    if {[catch {open /proc/self/status} status]} { return 0 }
    set found 0
    regexp {VmHWM:\s*(\d+)} [read $status] -> found
    close $status
    return $found
}

# A counter of all senders together.
proc total {name} {
    global senders
    set sum 0
    foreach tcp $senders {
        # Before the first ACK it is -1.
        set sum [expr {$sum + max(0, [$tcp set $name])}]
    }
    return $sum
}

proc finish {} {
    global ns opt wall_start trace_file cwnd_file
    set wall [expr {([clock microseconds] - $wall_start) / 1e6}]
    $ns flush-trace
    close $trace_file
    if {[info exists cwnd_file]} { close $cwnd_file }
    puts [format {{"simulator": "ns-2", "nodes": %d, "window": %d, "d": %d, "rate": "%s", "seed": %d,\
        "simulated_s": %s, "wall_s": %.6f, "delivered": %d, "sent": %d, "rexmit": %d, "timeouts": %d,\
        "cwndcuts": %d, "peak_rss_kb": %d}} $opt(nodes) $opt(window) $opt(d) $opt(rate) $opt(seed) $opt(duration) $wall \
        [total ack_] [total ndatapack_] [total nrexmitpack_] [total nrexmit_] \
        [total ncwndcuts_] [peak_rss_kb]]
    exit 0
}

$ns at $opt(duration) finish
set wall_start [clock microseconds]
$ns run
