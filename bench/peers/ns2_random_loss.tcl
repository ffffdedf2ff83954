# Greedy TCP over a path that has loss and delay alone, in stock ns-2: beside the textbook models of vaidya1999's check.
#
# A data packet of 1000 bytes on the wire is lost with probability `loss`; ACKs never are. No queue, no window limit.
#
#   ns ns2_random_loss.tcl -loss 0.01 -ack every -seed 1     prints the packets sent per second after the warm-up
#
# Options take the form `-name value`; an unknown one is an error (exit code 2).

array set path {
    loss     0.01
    ack      every
    rtt      0.1
    min_rto  0.3
    tick     0.01
    warm     20
    duration 520
    seed     1
}

foreach {name value} $argv {
    set name [string range $name 1 end]
    if {![info exists path($name)]} {
        puts stderr "ns2_random_loss.tcl: unknown option -$name; accepted: [lsort [array names path]]"
        exit 2
    }
    set path($name) $value
}

ns-random $path(seed)
set ns [new Simulator]
set here [$ns node]
set there [$ns node]
$ns duplex-link $here $there 1000Mb [expr {$path(rtt) / 2}]s DropTail
foreach {a b} "$here $there $there $here" { $ns queue-limit $a $b 100000 }
set errors [new ErrorModel]
$errors unit pkt
$errors set rate_ $path(loss)
$errors ranvar [new RandomVariable/Uniform]
$errors drop-target [new Agent/Null]
$ns link-lossmodel $errors $here $there

Agent/TCP set tcpTick_ $path(tick)
Agent/TCP set minrto_ $path(min_rto)
Agent/TCP set maxrto_ 64
Agent/TCP set window_ 10000
Agent/TCP set packetSize_ 960
Agent/TCP set singledup_ 0
set sender [new Agent/TCP/Reno]
set receiver [new [expr {$path(ack) eq "delayed" ? "Agent/TCPSink/DelAck" : "Agent/TCPSink"}]]
$ns attach-agent $here $sender
$ns attach-agent $there $receiver
$ns connect $sender $receiver
set source [new Application/FTP]
$source attach-agent $sender

proc note {} {
    global sender before
    set before [$sender set ndatapack_]
}
proc finish {seconds} {
    global sender before
    puts [expr {([$sender set ndatapack_] - $before) / $seconds}]
    exit 0
}
$ns at 0 "$source start"
$ns at $path(warm) note
$ns at $path(duration) "finish [expr {double($path(duration) - $path(warm))}]"
$ns run
