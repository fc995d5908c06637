/**
 * communication.json: by step and kind, operations named `hcom_allReduce__586_0_1@17522688603477080586` (operation and
 * group) with times, and the traffic on each kind of link.
 */
import type { ActivityDetails } from '../../../trace/trace.js';
import { entriesOf, fieldOf } from '../../../json/json-value.js';
import { commonLink } from '../device-kinds.js';
import { NS_PER_S } from '../../../../record/units.js';
import type { Transfer } from '../../../../record/fields/transfer.js';

export interface CommunicationFacts {
  readonly group: string | null;
  readonly link: string | null;
  /** Times and ratios, by the tool's names; null where several operations differ. */
  readonly times: Readonly<Record<string, number>> | null;
  /** Messages by link and size; empty where several operations have the name. */
  readonly transfers: readonly Transfer[];
}

/** Listed among the links, but the engine that moves messages over any link. */
const MOVER = 'SDMA';

/** Facts by the name of the operation; those that differ between several operations of one name are null. */
export function readCommunication(json: unknown): Map<string, CommunicationFacts> {
  const facts = new Map<string, CommunicationFacts>();
  for (const [, kinds] of entriesOf(json)) {
    for (const [, operations] of entriesOf(kinds)) {
      for (const [key, operation] of entriesOf(operations)) {
        const [name = '', group] = key.split('@');
        if (name === '' || group === undefined) continue;
        const bandwidth = fieldOf(operation, 'Communication Bandwidth Info');
        const times = timesIn(fieldOf(operation, 'Communication Time Info'));
        const found = {
          group,
          link: linkOf(bandwidth),
          times: measured(times, bandwidth),
          transfers: sizesIn(bandwidth),
        };
        const known = facts.get(name);
        facts.set(name, known === undefined ? found : common(known, found));
      }
    }
  }
  return facts;
}

const common = (a: CommunicationFacts, b: CommunicationFacts): CommunicationFacts => ({
  group: a.group === b.group ? a.group : null,
  link: a.link === b.link ? a.link : null,
  times: null,
  transfers: [],
});

/** All times but the start, which the operation has. */
function timesIn(info: unknown): Record<string, number> | null {
  const times = entriesOf(info).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !entry[0].startsWith('Start'),
  );
  return times.length === 0 ? null : Object.fromEntries(times);
}

/** Messages by size: `{"HCCS": {"Size Distribution": {"2.064384": [12, 1.578]}}}`, in MB, with their number and ms. */
function sizesIn(bandwidth: unknown): Transfer[] {
  return entriesOf(bandwidth).flatMap(([link, facts]) =>
    entriesOf(fieldOf(facts, 'Size Distribution')).flatMap(([megabytes, messages]) => {
      const [count, ms] = Array.isArray(messages) ? (messages as unknown[]) : [];
      const bytes = Math.round(Number(megabytes) * 1e6);
      if (!(bytes > 0) || typeof count !== 'number' || typeof ms !== 'number') return [];
      return [{ src: null, dst: null, link, bytes, count, dur: Math.round((ms / 1000) * NS_PER_S) }];
    }),
  );
}

/** Times, and the rates of the links that were used: `HCCS Bandwidth(GB/s)`, `HCCS Large Packet Ratio`. */
function measured(times: Readonly<Record<string, number>> | null, bandwidth: unknown): typeof times {
  const rates = entriesOf(bandwidth)
    .filter(([link, facts]) => link !== MOVER && Number(fieldOf(facts, 'Transit Size(MB)')) > 0)
    .flatMap(([link, facts]) =>
      entriesOf(facts).flatMap(([name, value]) =>
        typeof value === 'number' ? [[`${link} ${name}`, value] as const] : [],
      ),
    );
  return times === null && rates.length === 0 ? null : { ...times, ...Object.fromEntries(rates) };
}

/** What a collective measured. */
export const timesOf = (facts: CommunicationFacts | undefined): ActivityDetails | null =>
  facts === undefined || facts.times === null ? null : { counters: facts.times };

function linkOf(bandwidth: unknown): string | null {
  const used = entriesOf(bandwidth).filter(([, facts]) => Number(fieldOf(facts, 'Transit Size(MB)')) > 0);
  return commonLink(used.map(([link]) => link).filter((link) => link !== MOVER));
}
