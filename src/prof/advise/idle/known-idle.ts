/** Whether the idle time of devices is known. If much work has no duration, devices may have worked during gaps. */
import { grouped, many } from '../wording.js';
import type { MissingTimes } from '../../steps/missing-work.js';
import type { ByDevice, Place, DeviceTimes } from '../device-times.js';
import type { ProfileRecord } from '../../../record/record.js';
import { calledCopies, calledCopiesText } from '../../steps/transfers.js';
import type { HostGaps, HostGapsOfDevice } from './host-gaps.js';

/** Number of pieces of work with a known duration, and without. */
export interface WorkTimes {
  readonly timed: number;
  readonly untimed: number;
}

/** If at least this share of work has no duration, idle time is only an upper bound. */
const MOST_UNTIMED = 0.1;

const isUntimed = ({ timed, untimed }: WorkTimes): boolean => untimed > MOST_UNTIMED * (timed + untimed);

/** `99 of 126 pieces of work have no duration` */
const untimedText = ({ timed, untimed }: WorkTimes): string =>
  `${grouped(untimed)} of ${many(timed + untimed, 'piece')} of work have no duration`;

/**
 * The share of idle time, which includes the copies that the profile lacks.
 * @param recorded number of devices whose copies the profile has
 */
export function withoutCopiesText(share: string, devices: number, recorded: number): string {
  if (recorded === devices) return share;
  return `at most ${share} (the profile has ${recorded === 0 ? 'no copies' : `copies of only ${recorded}`})`;
}

export function workTimesOf(profile: number, devices: DeviceTimes, missing: ByDevice<MissingTimes>): WorkTimes {
  return {
    timed: devices.ofProfile(profile).reduce((all, { of: activity }) => all + activity.activities, 0),
    untimed: missing.ofProfile(profile).reduce((all, { of: lost }) => all + lost.untimed, 0),
  };
}

/** What determines the idle time of devices. */
export interface IdleFacts {
  readonly devices: DeviceTimes;
  readonly host: HostGaps;
  /** Work that the profiler lost. */
  readonly missing: ByDevice<MissingTimes>;
  readonly profiles: ReadonlyMap<number, ProfileRecord>;
}

/** The gaps that rules may report. */
export interface KnownIdle {
  /** Gaps of the devices whose idle time is known. */
  readonly all: readonly (Place & { readonly of: HostGapsOfDevice })[];
  /** Why there are no gaps to report. */
  readonly why: string;
}

/** Why the idle time of a profile's devices is only an upper bound; null if it is known. */
export function unknownIdleText(profile: ProfileRecord | number, work: WorkTimes): string | null {
  if (isUntimed(work)) return untimedText(work);
  const called = typeof profile === 'number' ? 0 : calledCopies(profile);
  return called === 0 ? null : calledCopiesText(called);
}

export function knownIdle({ host, devices, missing, profiles }: IdleFacts): KnownIdle {
  const whys = new Map<number, string | null>();
  for (const { profile } of host.all)
    whys.set(profile, unknownIdleText(profiles.get(profile) ?? profile, workTimesOf(profile, devices, missing)));
  const first = [...whys.values()].find((why) => why !== null);
  return {
    all: host.all.filter(({ profile }) => (whys.get(profile) ?? null) === null),
    why: first === undefined ? 'nothing' : `${first}: idle time is unknown`,
  };
}
