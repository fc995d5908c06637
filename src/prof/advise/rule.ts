/** Interface of the rules of `dprof advise`: a rule watches all records and rows, and finally reports what it found. */
import type { Vendor } from '../../record/glossary.js';
import type { ProfileLine } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import type { ProfileSums } from '../neuron/metric-sums.js';
import { ByDevice, type Place } from './device-times.js';
import type { Concern, Found } from './finding.js';
import type { MovedTimes } from './moved-times.js';
import type { IdleFacts, KnownIdle } from './idle/known-idle.js';

/**
 * Name of the rule about several ranks. Its findings are the causes of other rules' findings on each rank, and come first.
 */
export const JOB_RULE = 'job';

/** Facts that all rules share, collected once. */
export interface RuleFacts extends IdleFacts {
  /** Gaps that rules may report. */
  readonly idle: KnownIdle;
  /** Data moved between devices, by profile. */
  readonly moved: ReadonlyMap<number, MovedTimes>;
  /** Sums of profiles of Neuron devices. */
  readonly neuron: ReadonlyMap<number, ProfileSums>;
}

/** What a job's page and advice say first: who is late, and how long ranks waited for each other. */
export interface JobVerdict {
  readonly who: string;
  /** Null when no operation is matched, so that waits are unknown. */
  readonly waits: string | null;
}

/** The findings of a rule, or why it could not check anything. */
export interface RuleAnswer {
  readonly found: readonly Found[];
  readonly why?: string;
  /** For a job of several ranks. */
  readonly verdict?: JobVerdict | null;
}

/** State of a rule during the pass over the records; it is bounded. */
interface Watch {
  readonly take?: (record: ProfileLine) => void;
  readonly row?: (row: Annotated) => void;
  readonly end: (facts: RuleFacts) => RuleAnswer;
}

export interface Rule {
  readonly name: string;
  /** One line for the help. */
  readonly doc: string;
  /**
   * Whether its findings are about the program or the profiling, unless a finding states it; the program by default.
   */
  readonly about?: Concern;
  /** Vendors of the devices to which it applies; all by default. */
  readonly vendors?: readonly Vendor[];
  readonly watch: () => Watch;
}

/** A rule that checks kernels one by one and reports findings for each device. */
interface DeviceRule<Of> extends Omit<Rule, 'watch'> {
  /** Why the rule could not check, when no kernel was applicable. */
  readonly why: string;
  readonly start: () => Of;
  /** Checks a kernel; returns whether the rule applies to it. */
  readonly row: (row: Annotated, devices: ByDevice<Of>) => boolean;
  readonly findings: (collected: Of, facts: RuleFacts, place: Place) => readonly Omit<Found, keyof Place>[];
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
        const found = devices.all.flatMap(({ of: collected, ...place }) =>
          findings(collected, facts, place).map((finding) => ({ ...place, ...finding })),
        );
        return looked ? { found } : { found, why };
      },
    };
  },
});
