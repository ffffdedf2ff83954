// A sink for ns-2 that delays the ACK for up to `count_` segments; ns-2's own has no more than two.
//
// It adds to ns-2's DelAck sink what that does not have: to take in a segment in order and hold it
// while the timer of the first one runs. Everything else is left to ns-2's sink: when the timer is
// set, and what is answered at once (a gap and what fills it, an older duplicate, the SYN). With
// `count_` = 2 nothing is ever held here, and a run is that of ns-2's own sink.
// What it holds is in sequence and carries no mark of ECN, and its connection is never reset; it takes
// RFC2581_immediate_ack_ for granted, ns-2's default.
// It is loaded into the `ns` that is installed, and reads ns-2's headers of that very version.

#include "tcp-sink.h"

class CountedSink : public DelAckSink {
public:
    CountedSink() : DelAckSink(new Acker), count_(2), waiting_(0) { bind("count_", &count_); }

    void recv(Packet *segment, Handler *handler) override
    {
        if (pending() && waiting_ + 1 < count_ && is_in_sequence(segment)) {
            hold(segment);
            return;
        }
        DelAckSink::recv(segment, handler);
        waiting_ = pending() ? 1 : 0;
    }

private:
    bool pending() { return delay_timer_.status() == TIMER_PENDING; }

    // In sequence, as ns-2's sink takes it: the next one or the newest once more, and with nothing
    // beyond it that has come already.
    bool is_in_sequence(Packet *segment) const
    {
        const int number = hdr_tcp::access(segment)->seqno();
        const int newest = acker_->Seqno();
        return (number == newest + 1 || number == newest) && number >= acker_->Maxseen();
    }

    void hold(Packet *segment)
    {
        hdr_tcp *header = hdr_tcp::access(segment);
        acker_->update_ts(header->seqno(), header->ts(), ts_echo_rfc1323_);
        const int bytes = acker_->update(header->seqno(), hdr_cmn::access(segment)->size());
        if (bytes != 0) {
            bytes_ += bytes;
            recvBytes(bytes);
        }
        // What the timer acknowledges is the last one.
        Packet::free(save_);
        save_ = segment;
        ++waiting_;
    }

    int count_;
    // Segments that the next ACK is for.
    int waiting_;
};

static class CountedSinkClass : public TclClass {
public:
    CountedSinkClass() : TclClass("Agent/TCPSink/DelAck/Counted") {}
    TclObject *create(int, const char *const *) override { return new CountedSink; }
} counted_sink_class;

// What Tcl's `load` calls; the class above has made itself known by then.
extern "C" int Countedsink_Init(Tcl_Interp *) { return TCL_OK; }
