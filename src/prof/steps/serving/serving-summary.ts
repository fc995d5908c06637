/**
 * Steps of inference servers for language models by phase: tokens, their rates, and how the device spent its time. Times
 * are ns.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { ServingPhase } from '../../../record/serving-step.js';
import { median } from '../../../record/statistics.js';
import {
  MODEL_PARTS,
  timePerOutputToken,
  tokensPerSecond,
  type ModelPart,
  type PartTimes,
  type Served,
} from './served-times.js';

/** A server's step on one device. Values that its name does not contain are null. */
export interface ServedStep {
  readonly phase: ServingPhase | null;
  readonly batch: number | null;
  readonly contextTokens: number | null;
  readonly generationTokens: number | null;
  /**
   * Duration of its iteration on the host, but at least the time that the device was busy with it; null when the iteration
   * is unknown.
   */
  readonly time: number | null;
  readonly tokensPerS: number | null;
  /** Null when no request generates, and when it is unknown how many tokens each request gets. */
  readonly timePerOutputToken: number | null;
  /** Sums of kernel durations by part of the model. */
  readonly parts: PartTimes;
}

/** The steps of one phase, over all devices. */
export interface PhaseSummary {
  /** Null for steps whose name does not contain it. */
  readonly phase: ServingPhase | null;
  readonly steps: number;
  /** Requests per step. */
  readonly batch: Range | null;
  /** Total over all steps; null when any is unknown, as for the other sums. */
  readonly contextTokens: number | null;
  readonly generationTokens: number | null;
  /** Sum of the steps' times; a step on several devices counts with its longest. */
  readonly time: number | null;
  readonly tokensPerS: number | null;
  /** Median over the steps that have it. */
  readonly timePerOutputToken: number | null;
  /** Over all devices: total time of the steps, and the part in which the device was not busy with the step. */
  readonly deviceTime: number | null;
  readonly idle: number | null;
  readonly parts: PartTimes;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

export function servedStep({ step, parts }: Served, time: number | null): ServedStep {
  const tokens = step?.tokens ?? null;
  return {
    phase: step?.phase ?? null,
    batch: step?.batch ?? null,
    contextTokens: step?.context.tokens ?? null,
    generationTokens: step?.generation.tokens ?? null,
    time,
    tokensPerS: tokensPerSecond(tokens, time),
    timePerOutputToken: step === null ? null : timePerOutputToken(step, time),
    parts,
  };
}

/** A step on one device. */
interface DeviceStep {
  readonly step: number;
  readonly busy: number;
  readonly served?: ServedStep;
}

const PHASES: readonly (ServingPhase | null)[] = ['prefill', 'mixed', 'decode', null];

/**
 * Phases in the order prefill, mixed, decode, unknown. Leaves out phases without steps, and steps that name neither a phase
 * nor a request, such as those of diffusion models.
 */
export function phasesOf(list: readonly DeviceStep[]): PhaseSummary[] {
  const byPhase = new Map<ServingPhase | null, DeviceStep[]>();
  for (const step of list) if (step.served !== undefined) entryOf(byPhase, step.served.phase, () => []).push(step);
  return PHASES.flatMap((phase) => {
    const steps = byPhase.get(phase);
    return steps === undefined || (phase === null && !steps.some(namesRequests)) ? [] : [summed(phase, steps)];
  });
}

const namesRequests = ({ served }: DeviceStep): boolean =>
  served !== undefined && [served.batch, served.contextTokens, served.generationTokens].some((count) => count !== null);

function summed(phase: ServingPhase | null, list: readonly DeviceStep[]): PhaseSummary {
  const all = list.flatMap(({ served }) => served ?? []);
  const steps = [...stepsAmong(list)];
  const time = sum(steps.map((step) => step.time));
  const [contextTokens, generationTokens] = [
    sum(steps.map((step) => step.contextTokens)),
    sum(steps.map((step) => step.generationTokens)),
  ];
  const tokens = sum([contextTokens, generationTokens]);
  const waits = steps.flatMap((step) => step.timePerOutputToken ?? []);
  const deviceTime = sum(all.map(({ time }) => time));
  const busy = list.reduce((sum, step) => sum + step.busy, 0);
  return {
    ...{ phase, steps: steps.length, batch: rangeOf(steps.flatMap(({ batch }) => batch ?? [])) },
    ...{ contextTokens, generationTokens, time, tokensPerS: tokensPerSecond(tokens, time) },
    timePerOutputToken: median(waits),
    deviceTime,
    idle: deviceTime === null ? null : deviceTime - busy,
    parts: Object.fromEntries(MODEL_PARTS.map((part) => [part, timeOf(part, all)])) as PartTimes,
  };
}

/** Each step once; for several devices, the one with the longest time. */
function stepsAmong(list: readonly DeviceStep[]): Iterable<ServedStep> {
  const steps = new Map<number, ServedStep>();
  for (const { step, served } of list) {
    const known = steps.get(step);
    if (served !== undefined && (known === undefined || (served.time ?? 0) > (known.time ?? 0)))
      steps.set(step, served);
  }
  return steps.values();
}

const timeOf = (part: ModelPart, steps: readonly ServedStep[]): number =>
  steps.reduce((time, { parts }) => time + parts[part], 0);

const sum = (values: readonly (number | null)[]): number | null =>
  values.reduce((all, value) => (all === null || value === null ? null : all + value), 0);

const rangeOf = (values: readonly number[]): Range | null =>
  values.length === 0 ? null : values.reduce<Range>(widened, { min: Infinity, max: -Infinity });

const widened = ({ min, max }: Range, value: number): Range => ({
  min: Math.min(min, value),
  max: Math.max(max, value),
});
