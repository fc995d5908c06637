/** Rules about faults of the capture: clock offset between host and device, and launched work that is missing. */
import { LAUNCHING } from '../../../record/glossary.js';
import { SHORTER } from '../../../record/diagnostics.js';
import type { ProfileRecord } from '../../../record/record.js';
import { percent, time, many } from '../wording.js';
import type { Found } from '../finding.js';
import type { Rule, RuleAnswer, RuleFacts } from '../rule.js';
import { calledCopies, calledCopiesText } from '../../steps/transfers.js';
import { captureOption } from '../../work/capture-options.js';

/** Work that the profiler lost, in the words of the advice and the check. @param ns idle time in which it may have run */
export const lostWorkText = (ns: number): string => `lost work may have run during ${time(ns)}`;

/** How to record work that was lost. @param api the launching call; null if unknown, as for graphs */
export const lostWorkRemedy = (api: string | null, profile: ProfileRecord | null): string =>
  `${SHORTER}${graphsText(api, profile)}`;

/** Whether a call launches graphs; so does an unknown one. */
export const launchesGraphs = (api: string | null): boolean => api === null || /graph/i.test(api);

function graphsText(api: string | null, profile: ProfileRecord | null): string {
  if (!launchesGraphs(api)) return '';
  const nodes = captureOption(profile, 'nodes');
  return nodes === null
    ? '; or profile without graphs'
    : `; trace graphs node by node (${nodes}), or profile without graphs`;
}

/** Launched work that the profiler lost, which the rest of the advice does not include. */
export const graphTrace: Rule = {
  name: 'graph-trace',
  vendors: LAUNCHING,
  about: 'profile',
  doc: 'kernel and graph launches whose work is not in the profile, and how to record it',
  watch: () => {
    /** Profiles that record the nodes of graphs. */
    const traced = new Set<number>();
    return {
      take: (record) => {
        if (record.type === 'kernel' && record.graph !== undefined) traced.add(record.profile);
      },
      end: ({ missing, profiles }): RuleAnswer => ({
        found: missing.all
          .filter(({ of: lost }) => lost.launches > 0)
          .map(({ of: lost, ...place }) => ({
            ...place,
            what: `${many(lost.launches, 'launch')}${lost.api === null ? '' : ` (${lost.api})`} without work in the profile, ${lostWorkText(lost.time)}`,
            action: lostWorkRemedy(lost.api, traced.has(place.profile) ? null : (profiles.get(place.profile) ?? null)),
            stake: lost.time,
            gain: null,
            kernels: [],
            count: lost.launches,
            evidence: { launches: lost.launches, missingNs: lost.time },
            see: 'dprof summary FILE',
          })),
      }),
    };
  },
};

/** Copies that the CPU issued and the profiler did not record: devices may have copied while they look idle. */
export const unrecordedCopies: Rule = {
  name: 'unrecorded-copies',
  vendors: LAUNCHING,
  about: 'profile',
  doc: 'copies that the CPU issued but that are not in the profile: idle time is only an upper bound',
  watch: () => ({
    end: ({ profiles, devices, missing }): RuleAnswer => ({
      found: [...profiles].flatMap(([profile, record]) => {
        const called = calledCopies(record);
        if (called === 0) return [];
        const option = captureOption(record, 'copies');
        return devices.ofProfile(profile).map(({ device, of: activity }): Found => {
          const idle = activity.span - activity.busy.total - (missing.get(profile, device)?.time ?? 0);
          return {
            ...{ profile, device },
            what: `${calledCopiesText(called)}: the device was idle for at most ${time(idle)}`,
            action: option === null ? 'record copies too' : `record copies too: ${option}`,
            ...{ stake: idle, gain: null, kernels: [], count: called },
            evidence: { calledCopies: called, idleNs: idle },
            see: 'dprof check FILE',
          };
        });
      }),
    }),
  }),
};

const SHIFT = /^device_(\d+)_clock_shift_ns$/;

interface Shift {
  readonly device: number;
  /**
   * Offset in ns that was applied to all its times; null when none of its launches is known, so that no offset was applied.
   */
  readonly moved: number | null;
  /** Uncertainty of that offset in ns; null when the profile does not give it. */
  readonly bound: number | null;
}

const numberOr = (value: string | number | undefined): number | null => (typeof value === 'number' ? value : null);

const shiftsOf = ({ facts = {} }: ProfileRecord): Shift[] =>
  Object.entries(facts).flatMap(([name, value]) => {
    const device = SHIFT.exec(name)?.[1];
    if (device === undefined) return [];
    const bound = numberOr(facts[`device_${device}_clock_bound_ns`]);
    return [{ device: Number(device), moved: numberOr(value), bound }];
  });

function textOf({ moved, bound }: Shift): string {
  if (moved === null)
    return "its clock differs from the CPU's and no launch is known, so its times could not be aligned";
  const sure = bound === null ? 'with unknown accuracy' : `to within ${time(bound)}`;
  return `its clock ran ${time(Math.abs(moved))} ${moved < 0 ? 'ahead of' : 'behind'} the CPU's; its times were aligned, ${sure}`;
}

function findingOf(shift: Shift, profile: number, { devices }: RuleFacts): Found[] {
  const activity = devices.get(profile, shift.device);
  if (activity === undefined) return [];
  const idle = activity.span - activity.busy.total;
  return [
    {
      ...{ profile, device: shift.device },
      what: textOf(shift),
      details: `this affects the causes of ${time(idle)} of idle time (${percent(activity.span > 0 ? idle / activity.span : 0)} of the span)`,
      action:
        'do not rely on idle causes and launch delays shorter than that; kernel durations are not affected; newer profilers and drivers align the clocks',
      // Each piece of work ends at most one gap, and the uncertain part of the gap may have another cause.
      stake: shift.bound === null ? idle : Math.min(idle, shift.bound * activity.activities),
      ...{ gain: null, kernels: [], count: activity.activities },
      evidence: { shiftNs: shift.moved ?? 'na', boundNs: shift.bound ?? 'na', idleNs: idle },
      see: 'dparse FILE | head -1',
    },
  ];
}

/** The devices whose clock differs from the host's, in the words of the advice. */
export const clockTexts = (profile: ProfileRecord): string[] =>
  shiftsOf(profile).map((shift) => `device ${shift.device}: ${textOf(shift)}`);

/** Devices whose clock differs from the host's: how reliable causes of idle time, queue times and launch delays are. */
export const clockShift: Rule = {
  name: 'clock-shift',
  about: 'profile',
  doc: "devices whose clock differs from the CPU's, and how accurate their alignment is",
  watch: () => ({
    end: (facts): RuleAnswer => ({
      found: [...facts.profiles].flatMap(([profile, record]) =>
        shiftsOf(record).flatMap((shift) => findingOf(shift, profile, facts)),
      ),
    }),
  }),
};
