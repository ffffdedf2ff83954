# A DSDV network in stock ns-2.35, traced so that conversation.py can turn the trace into a script for
# the conformance test. All random delays of DSDV are off (be_random_ 0). Usage:
#   ns network.tcl TRACE SEED SECONDS chain NODES WINDOW MAC    one TCP flow over a chain, 200 m apart, from 60 s on
#   ns network.tcl TRACE SEED SECONDS field NODES FLOWS MAC     CBR flows over nodes that move
# MAC is use_mac_: 0 ignores failures of the MAC, 1 takes them for lost neighbours.
lassign $argv file seed seconds kind nodes amount mac
ns-random $seed
Agent/DSDV set be_random_ 0
Agent/DSDV set verbose_ 1
Agent/DSDV set use_mac_ $mac
set ns [new Simulator]
$ns use-newtrace
set trace [open $file w]
$ns trace-all $trace
set topo [new Topography]
$topo load_flatgrid 8000 2000
create-god $nodes
$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 \
    -ifqType Queue/DropTail/PriQueue -ifqLen 50 -antType Antenna/OmniAntenna \
    -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo \
    -agentTrace OFF -routerTrace ON -macTrace ON -movementTrace OFF
for {set i 0} {$i < $nodes} {incr i} {
    set node($i) [$ns node]
    $node($i) random-motion 0
    $node($i) set Z_ 0.0
    # DSDV's own lines: every change of a route.
    set own [new Trace/Generic]
    $own attach $trace
    [$node($i) set ragent_] tracetarget $own
}
proc place {i x y} { global node; $node($i) set X_ $x; $node($i) set Y_ $y }
set rng [new RNG]
$rng seed $seed
if {$kind eq "chain"} {
    for {set i 0} {$i < $nodes} {incr i} { place $i [expr 200.0 * $i + 1] 1.0 }
    set tcp [new Agent/TCP/Newreno]
    $tcp set packetSize_ 1000
    $tcp set window_ $amount
    set sink [new Agent/TCPSink]
    $ns attach-agent $node(0) $tcp
    $ns attach-agent $node([expr $nodes - 1]) $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at 60.0 "$ftp start"
} else {
    for {set i 0} {$i < $nodes} {incr i} {
        place $i [$rng uniform 1 1500] [$rng uniform 1 300]
        for {set t 20.0} {$t < $seconds} {set t [expr $t + [$rng uniform 15 60]]} {
            set x [$rng uniform 1 1500]
            set y [$rng uniform 1 300]
            $ns at $t "$node($i) setdest $x $y [$rng uniform 5 25]"
        }
    }
    for {set f 0} {$f < $amount} {incr f} {
        set udp [new Agent/UDP]
        set null [new Agent/Null]
        $ns attach-agent $node($f) $udp
        $ns attach-agent $node([expr $nodes - 1 - $f]) $null
        $ns connect $udp $null
        set cbr [new Application/Traffic/CBR]
        $cbr set packetSize_ 256
        $cbr set interval_ [$rng uniform 0.2 0.9]
        $cbr attach-agent $udp
        $ns at [$rng uniform 1 5] "$cbr start"
    }
}
$ns at $seconds "$ns flush-trace; close $trace; exit 0"
$ns run
