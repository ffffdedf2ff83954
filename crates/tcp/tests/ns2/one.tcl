# One TCP connection over a two-node wire; named packets are lost on the way.
# usage: ns one.tcl key=value ...
array set p {agent Agent/TCP/Newreno sink Agent/TCPSink window 20 init 2 rate 1Mb delay 50ms stop 20 data {} acks {} set {} sset {} npk -1 again {} spikes {} back_spikes {} load {}}
foreach a $argv { set i [string first = $a]; set p([string range $a 0 [expr $i-1]]) [string range $a [expr $i+1] end] }
# The library with the sink that counts beyond two (`bench/peers/sink.py`).
if {$p(load) ne ""} { load $p(load) Countedsink }
set ns [new Simulator]
set f [open trace.tr w]
$ns trace-all $f
set a [$ns node]; set b [$ns node]
$ns duplex-link $a $b $p(rate) $p(delay) DropTail
$ns queue-limit $a $b 10000
$ns queue-limit $b $a 10000
foreach {from to list} [list $a $b $p(data) $b $a $p(acks)] {
  if {[llength $list]} {
    set e [new ErrorModel/List]; $e droplist $list
    $e drop-target [new Agent/Null]
    $ns link-lossmodel $e $from $to
  }
}
set tcp [new $p(agent)]
$tcp set window_ $p(window)
$tcp set windowInit_ $p(init)
# Vegas forgets the 40 bytes of headers that the others add.
$tcp set packetSize_ [expr {[string match *Vegas $p(agent)] ? 1040 : 1000}]
foreach {k v} $p(set) { $tcp set $k $v }
set sink [new $p(sink)]
foreach {k v} $p(sset) { $sink set $k $v }
$ns attach-agent $a $tcp; $ns attach-agent $b $sink
$ns connect $tcp $sink
set v [open vars.tr w]
$tcp attach $v
foreach x {cwnd_ ssthresh_ rtt_ srtt_ rttvar_ backoff_ maxseq_ ack_ dupacks_ ncwndcuts_} { $tcp trace $x }
set ftp [new Application/FTP]; $ftp attach-agent $tcp
if {$p(npk)>=0} { $ns at 0.1 "$ftp produce $p(npk)" } else { $ns at 0.1 "$ftp start" }
foreach {t n} $p(again) { $ns at $t "$ftp producemore $n" }
# The delay of a direction changes at a time.
foreach {t d} $p(spikes) { $ns at $t "\[\[$ns link $a $b\] set link_\] set delay_ $d" }
foreach {t d} $p(back_spikes) { $ns at $t "\[\[$ns link $b $a\] set link_\] set delay_ $d" }
$ns at $p(stop) "flush $f; flush $v; exit 0"
$ns run
