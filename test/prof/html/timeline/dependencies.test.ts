/** What instructions waited for, from records to what the page shows of a selected event. */
import { expect } from 'chai';
import type { Timeline } from '../../../../src/prof/html/timeline/timeline-data.js';
import { DependencyBuffer } from '../../../../src/prof/html/timeline/event-buffer.js';
import {
  dependenciesOf,
  loadEvents,
  profileTimeOf,
  startOf,
  textOf,
} from '../../../../src/page/timeline/events/events.js';
import type { KernelLine, ProfileLine } from '../../../../src/record/record.js';
import { FURTHER, realFile, SAMPLED } from '../../../parse/readers/neuron/tool-json-files.js';
import { instruction, neuronProfile } from '../../../support/neuron.js';
import { pageContentsOf, shownFirst } from '../../../support/pages.js';
import { itEachShared } from '../../../support/shared.js';

const timelineOf = (records: Iterable<ProfileLine>): Timeline => shownFirst(pageContentsOf(records));

const at = (id: number, start: number, change: Partial<KernelLine> = {}): KernelLine =>
  instruction(`I${id}`, 'Scalar', start, 5, { id, labels: { id: `9${id}` }, ...change });

/** By name of each event, what it waited for and what waited for it. */
async function shownIn(records: Iterable<ProfileLine>): Promise<Record<string, readonly string[]>> {
  const events = await loadEvents(timelineOf(records));
  const name = (event: number | null): string => (event === null ? '?' : String(textOf(events, 'name', event)));
  const shown = Array.from({ length: events.count }, (_, event) => {
    const { before, after } = dependenciesOf(events, event);
    const texts = [
      ...before.map((each) => `< ${name(each.event)}: ${each.what}`),
      ...after.map((each) => `> ${name(each.event)}: ${each.what}`),
    ];
    return [name(event), texts] as const;
  });
  return Object.fromEntries(shown);
}

describe('dependencies on the page', () => {
  it('lead to the instruction before and to those after, with kind and semaphore', async () => {
    const raising = at(1, 10, { operands: 'S[4] (Scalar)++@complete' });
    const waiting = at(2, 20, { operands: 'S[4] (Scalar)>=1', after: [{ id: '91', kind: 'flow' }] });
    const missing = at(3, 30, { after: [{ id: '91', kind: 'anti' }, { id: '97', kind: 'flow' }] }); // prettier-ignore
    expect(await shownIn([neuronProfile(), raising, waiting, missing])).to.deep.equal({
      I1: ['> I2: flow, S[4] (Scalar)', '> I3: anti'],
      I2: ['< I1: flow, S[4] (Scalar)'],
      I3: ['< I1: anti', '< ?: flow'],
    });
  });

  it('of kernels that are dropped are dropped', () => {
    const buffer = new DependencyBuffer();
    const on = { kernel: 1, name: 'COPY', engine: null, end: null, operands: '' };
    for (const kernel of [2, 3, 4]) buffer.add(kernel, [{ id: '91', kind: 'flow', on, semaphore: null }]);
    buffer.keep(new Set([1, 3]));
    expect(buffer.length).to.equal(1);
  });

  itEachShared(
    SAMPLED,
    FURTHER,
    (capture) => `${capture}: are those of the tool's rows`,
    async (path) => {
      const { exact, lines } = realFile(path);
      const rows = exact['instruction'] ?? [];
      const key = (name: unknown, start: unknown): string => `${String(name)} ${String(start)}`;
      const keys = new Map(rows.map((row) => [String(row['id']), key(row['opcode'], row['timestamp'])]));
      const stated = rows.flatMap((row) =>
        ((row['predecessors'] ?? []) as { id: string | number; type: string }[]).map(
          ({ id, type }) =>
            `${keys.get(String(id))} ${key(row['opcode'], row['timestamp'])} ${type.toLowerCase().replace('_dependence', '')}`,
        ),
      );
      const events = await loadEvents(timelineOf(lines));
      const keyOf = (event: number): string =>
        key(textOf(events, 'name', event), profileTimeOf(events, startOf(events, event)));
      const found = Array.from({ length: events.count }, (_, event) =>
        dependenciesOf(events, event).before.map(
          (each) => `${each.event === null ? '?' : keyOf(each.event)} ${keyOf(event)} ${each.what.replace(/,.*/, '')}`,
        ),
      ).flat();
      expect(stated).to.have.length.above(700);
      expect(found.sort()).to.deep.equal(stated.sort());
    },
  );
});
