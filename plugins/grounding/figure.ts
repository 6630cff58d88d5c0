/** Declares what is known of a number that an answer states. */

/** An interval that contains the value that the figure may stand for. */
export interface Reading {
  readonly value: number;
  /** Half a unit of the last place that is written. */
  readonly tolerance: number;
}

export interface Figure {
  /** As it is written, with its sign and percent sign. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** A percentage is read as it stands and as a fraction. */
  readonly isPercent: boolean;
  /** Percentage points or basis points: a difference of shares. */
  readonly isPoints: boolean;
  /** Followed by `x`, `times` and the like. */
  readonly isMultiple: boolean;
  /** Written with a minus sign. */
  readonly isNegative: boolean;
  readonly hasDecimals: boolean;
  /** Absolute values that it may stand for; `1.234` may be one and a bit, or over a thousand. */
  readonly readings: readonly Reading[];
  /** The numbers that `12 345` is when it is not one. */
  readonly parts: readonly Figure[];
}
