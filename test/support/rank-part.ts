/** Parts of ranks made by hand: each step lasts 100 ms, some of it own work, the rest waiting for others. */
import type { RankPart, StepColumns } from '../../src/prof/ranks/part/rank-part.js';

const NS_PER_MS = 1e6;
const STEP_MS = 100;

const WORK = { names: [], times: [] };

/** @param own ms of own work of each step; null for one that the profile lacks */
export function rankPart(rank: number, own: readonly (number | null)[], given: Partial<RankPart> = {}): RankPart {
  const kept = own.flatMap((ms, step) => (ms === null ? [] : [{ step, ms }]));
  const each = <Value>(of: (at: { readonly step: number; readonly ms: number }) => Value): Value[] => kept.map(of);
  const steps: StepColumns = {
    step: each(({ step }) => step),
    start: each(({ step }) => step * STEP_MS * NS_PER_MS),
    end: each(({ step }) => (step + 1) * STEP_MS * NS_PER_MS),
    compute: each(({ ms }) => ms * NS_PER_MS),
    communication: each(({ ms }) => (STEP_MS - ms) * NS_PER_MS),
    exposed: each(({ ms }) => (STEP_MS - ms) * NS_PER_MS),
    messages: each(() => 0),
    copies: each(() => 0),
    idle: each(() => 0),
    preparing: each(() => 0),
    flops: each(() => null),
    tokens: each(() => null),
    memory: each(() => null),
  };
  return {
    ...{ file: `rank${rank}.json`, rank, isDevice: false, device: 0, deviceName: null, worldSize: null, host: null },
    ...{ startUnixNs: null, processGroups: [], steps, work: { layer: WORK, op: WORK, kernel: WORK } },
    operations: {
      ...{ groups: [], group: [], members: [], sizes: [], kind: [], dtype: [], bytes: [], ordinal: [], peer: [] },
      ...{ start: [], dur: [], step: [] },
    },
    leftOut: { operations: 0, steps: 0, names: 0 },
    ...given,
  };
}
