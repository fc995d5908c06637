/** Fields as anyone may have edited them: what is not of its type is unknown. */
import type { Launch, ProfileLine } from '../../record/record.js';

/** What a device did, as lines of records have it. */
export type Activity = Extract<ProfileLine, { readonly stream: number | null }>;

export type OtherActivity = Exclude<Activity, { readonly type: 'kernel' }>;

/** Whole ns; null for what is no time, as in a net.dict. */
export function timeOf(time: unknown): number | null {
  if (typeof time !== 'number') return null;
  const whole = Math.round(time);
  return Number.isSafeInteger(whole) ? whole : null;
}

export const nameOf = (name: unknown): string => (typeof name === 'string' ? name : 'na');

/** The host call of an activity; null where it is not told when it was. */
export function launchOf({ launch }: Activity): Launch | null {
  if (launch === null || launch === undefined || timeOf(launch.start) === null) return null;
  return typeof launch.api === 'string' ? launch : { ...launch, api: null };
}

/** `copy HtoD`, `sync stream`, the name of a collective operation. */
export function titleOf(record: OtherActivity): string {
  if (record.type === 'collective') return nameOf(record.name);
  if (record.type === 'graph') return 'graph launch';
  const kind: unknown = record.type === 'set' ? null : record.kind;
  return typeof kind === 'string' ? `${record.type} ${kind}` : record.type;
}
