/** What a rule of `dprof advise` is: it watches records and rows go by, and says at the end what it found. */
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import type { ProfileSums } from '../neuron/metric-sums.js';
import type { MissingTimes } from '../steps/missing-work.js';
import { ByDevice, type Place, type DeviceTimes } from './device-times.js';
import type { Concern, Found } from './finding.js';
import type { HostGaps } from './idle/host-gaps.js';
import type { KnownIdle } from './idle/known-idle.js';

/** Name of the rule about several ranks: its findings are causes of what others find on each of them, and come first. */
export const JOB_RULE = 'job';

/** What all rules share: gathered once. */
export interface RuleFacts {
  readonly devices: DeviceTimes;
  readonly host: HostGaps;
  /** Gaps that a rule may speak of. */
  readonly idle: KnownIdle;
  /** Work that the profiler lost. */
  readonly missing: ByDevice<MissingTimes>;
  readonly profiles: ReadonlyMap<number, ProfileRecord>;
  /** Of profiles of Neuron devices. */
  readonly neuron: ReadonlyMap<number, ProfileSums>;
}

/** What a rule found; why it could not look where it could not look at anything. */
export interface RuleAnswer {
  readonly found: readonly Found[];
  readonly why?: string;
}

/** The memory of a rule while records go by; it is bounded. */
interface Watch {
  readonly take?: (record: ProfileLine) => void;
  readonly row?: (row: Annotated) => void;
  readonly end: (facts: RuleFacts) => RuleAnswer;
}

export interface Rule {
  readonly name: string;
  /** One line for the help. */
  readonly doc: string;
  /** What its findings are about, unless they say so themselves; the program by default. */
  readonly about?: Concern;
  readonly watch: () => Watch;
}

/** Rules that look at kernels one by one and say something of each device. */
interface DeviceRule<Of> extends Omit<Rule, 'watch'> {
  /** Why the rule could not look, where no kernel was one to look at. */
  readonly why: string;
  readonly start: () => Of;
  /** Looks at a kernel; returns whether it was one to look at. */
  readonly row: (row: Annotated, devices: ByDevice<Of>) => boolean;
  readonly findings: (of: Of, facts: RuleFacts, place: Place) => readonly Omit<Found, keyof Place>[];
}

export const deviceRule = <Of>({ why, start, row: look, findings, ...rule }: DeviceRule<Of>): Rule => ({
  ...rule,
  watch: () => {
    const devices = new ByDevice(start);
    let looked = false;
    return {
      row: (row) => {
        if (look(row, devices)) looked = true;
      },
      end: (facts) => {
        const found = devices.all.flatMap(({ of, ...place }) =>
          findings(of, facts, place).map((finding) => ({ ...place, ...finding })),
        );
        return looked ? { found } : { found, why };
      },
    };
  },
});
