//! What a radio draws, for the energy that a node spends.

/// What a radio draws, in watts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Powers {
    /// While sending.
    pub transmit_w: f64,
    /// While receiving or busy with a sensed frame.
    pub receive_w: f64,
    /// While listening to silence.
    pub idle_w: f64,
}

impl Powers {
    /// A node without a radio.
    pub const NO_RADIO: Self = Self {
        transmit_w: 0.0,
        receive_w: 0.0,
        idle_w: 0.0,
    };
}
