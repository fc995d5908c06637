/** How fast a server's step gave tokens. */
import { NS_PER_S } from '../../../record/units.js';
import type { ServingStep } from '../../../record/serving-step.js';

/**
 * How long a step took, ns: its iteration on the host, and no less than the device was busy with it, since the host may
 * only launch the work of a step and go on. Null where the iteration is unknown.
 */
export const stepTime = (iteration: number | null, busy: number): number | null =>
  iteration === null ? null : Math.max(iteration, busy);

/** Tokens over time, per second; null when one is not known. */
export const tokensPerSecond = (tokens: number | null, time: number | null): number | null =>
  tokens === null || time === null || time <= 0 ? null : (tokens * NS_PER_S) / time;

/**
 * How long a request waits for its next token, ns: the step's time where each generating request gets one token. Null
 * where none generates, and where several tokens of a request are guesses that the step may reject.
 */
export function timePerOutputToken({ generation }: ServingStep, time: number | null): number | null {
  const { requests, tokens } = generation;
  return requests !== null && requests > 0 && tokens === requests ? time : null;
}
