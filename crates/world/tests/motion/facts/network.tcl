# Small networks in stock ns-2.35 in which a node drives away, for ../ns2.rs; README.md tells the rest. Usage:
#   ns network.tcl TRACE SEED away SPEED       datagrams from 0 to 1; 1 drives east from 2 s on
#   ns network.tcl TRACE SEED relay SPEED      TCP from 0 to 2 by way of 1, which drives north from 10 s on
#   ns network.tcl TRACE SEED heal PROTOCOL    datagrams from 0 to 3 by way of 1, which drives north; 2 comes
lassign $argv file seed kind value
ns-random $seed
set ns [new Simulator]
$ns use-newtrace
set trace [open $file w]
$ns trace-all $trace
set topo [new Topography]
$topo load_flatgrid 4000 4000
set nodes [dict get {away 2 relay 3 heal 4} $kind]
create-god $nodes
set routing AODV
if {$kind eq "heal"} { set routing $value }
set queue Queue/DropTail/PriQueue
if {$routing eq "DSR"} { set queue CMUPriQueue }
Mac/802_11 set RTSThreshold_ 0
$ns node-config -adhocRouting $routing -llType LL -macType Mac/802_11 \
    -ifqType $queue -ifqLen 50 -antType Antenna/OmniAntenna \
    -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo \
    -agentTrace ON -routerTrace OFF -macTrace ON -movementTrace OFF
for {set i 0} {$i < $nodes} {incr i} {
    set node($i) [$ns node]
    $node($i) random-motion 0
    $node($i) set Z_ 0.0
}
proc place {i x y} { global node; $node($i) set X_ $x; $node($i) set Y_ $y }
proc datagrams {to bytes interval start} {
    global ns node
    set udp [new Agent/UDP]
    set null [new Agent/Null]
    $ns attach-agent $node(0) $udp
    $ns attach-agent $node($to) $null
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $bytes
    $cbr set interval_ $interval
    $cbr attach-agent $udp
    $ns at $start "$cbr start"
}
switch $kind {
    away {
        place 0 1000 1000
        place 1 1200 1000
        $ns at 2.0 "$node(1) setdest 3900 1000 $value"
        datagrams 1 512 0.05 1.0
        set end 30.0
    }
    relay {
        place 0 1000 1000
        place 1 1200 1000
        place 2 1400 1000
        $ns at 10.0 "$node(1) setdest 1200 3900 $value"
        set tcp [new Agent/TCP/Newreno]
        $tcp set packetSize_ 1000
        $tcp set window_ 2
        set sink [new Agent/TCPSink]
        $ns attach-agent $node(0) $tcp
        $ns attach-agent $node(2) $sink
        $ns connect $tcp $sink
        set ftp [new Application/FTP]
        $ftp attach-agent $tcp
        $ns at 1.0 "$ftp start"
        set end 40.0
    }
    heal {
        place 0 1000 1000
        place 1 1200 1000
        place 2 1200 100
        place 3 1400 1000
        $ns at 10.0 "$node(1) setdest 1200 2000 20.0"
        $ns at 5.0 "$node(2) setdest 1200 950 85.0"
        datagrams 3 512 0.1 3.0
        set end 40.0
    }
}
$ns at $end "$ns flush-trace; close $trace; exit 0"
$ns run
