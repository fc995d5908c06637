/** What a partial answer has of the summary of one profile: all but the profile itself, with lists of a bounded length. */
import type { ProfileRecord } from '../../record/record.js';
import type { ProfileSummary } from './summary-data.js';

/** Names in each list of a partial answer: no command lists more of them unless it is asked to. */
export const PART_NAMES = 100;

export type SummaryPart = Omit<ProfileSummary, 'profile' | 'header'>;

export function summaryPartOf(summary: ProfileSummary): SummaryPart {
  const { devices, kernels, memory, syncs, collectives, links, steps, host, cpu, program, notices, diagnostics } =
    summary;
  return { devices, kernels, memory, syncs, collectives, links, steps, host, cpu, program, notices, diagnostics };
}

/** @param names in each list; a partial answer may have fewer */
export function summaryOf(
  part: SummaryPart,
  profile: number,
  header: ProfileRecord | null,
  names: number,
): ProfileSummary {
  const { kernels, syncs, host } = part;
  const first = <Row>(list: readonly Row[]): readonly Row[] => list.slice(0, names);
  return {
    profile,
    header,
    ...part,
    kernels: kernels && { ...kernels, byTime: first(kernels.byTime), byCount: first(kernels.byCount) },
    syncs: first(syncs),
    host: host && {
      ...host,
      ...{ ops: first(host.ops), annotations: first(host.annotations), layers: first(host.layers) },
    },
  };
}
