/** Tracks and marks of pages of samples, as the timeline loads them: in one with what the summary and the page's panels say. */
import { expect } from 'chai';
import { join } from 'node:path';
import { loadEvents } from '../../../../src/page/timeline/events/events.js';
import { loadExtras, type TimelineExtras } from '../../../../src/page/timeline/tracks/load-tracks.js';
import { contextOf } from '../../../../src/page/timeline/tracks/timeline-context.js';
import type { PageProfile } from '../../../../src/prof/html/page-data.js';
import { A100, profileOn } from '../../../support/devices.js';
import { kernel } from '../../../support/kernels.js';
import { pageContentsOf, pageContentsOfFile, pieceOf } from '../../../support/pages.js';
import { ROOT } from '../../../support/shared.js';

async function loaded(contents: ReturnType<typeof pageContentsOf>) {
  const [profile] = contents.data.profiles;
  const timeline = pieceOf(contents.parts, 0, 0);
  if (profile === undefined || timeline === null) return expect.fail('no timeline');
  const events = await loadEvents(timeline);
  const extras = await loadExtras(timeline, events, contextOf(profile, contents.data.advice));
  return { profile, events, extras };
}

const shown = ({ tracks }: TimelineExtras, group: string, name: string) =>
  tracks.find((track) => track.name === name && (track.group === group || track.group.startsWith(`${group}:`)));

/** ns in which each device was busy, as the summary has it. */
const busyOf = ({ overview }: PageProfile) =>
  overview.devices.flatMap(({ device, busy }) => (busy === null || busy === 0 ? [] : [{ device, busy }]));

describe('tracks of a page', () => {
  for (const name of ['lenet.pt.trace.json.gz', 'transformer.nsys.sqlite', 'ascend_pytorch_profiler_0.db', 'attention.ntff']) {
    it(`have the busy time of the summary, and a mark for each gap: ${name}`, async () => {
      const { profile, events, extras } = await loaded(await pageContentsOfFile(join(ROOT, 'samples', name)));
      expect(busyOf(profile)).not.to.deep.equal([]);
      for (const { device, busy } of busyOf(profile)) {
        const share = shown(extras, `device ${device}`, 'busy')?.rangeOf(0, events.span)?.low ?? NaN;
        expect(share * events.span).to.be.closeTo(busy, 1 + 1e-6 * busy);
      }
      const gaps = extras.marks.filter(({ kind }) => kind === 'gap');
      expect(gaps.map(({ start, end }) => `${start + events.origin} ${end - start}`)).to.have.members(
        profile.gaps.map(({ start, time }) => `${start} ${time}`),
      );
    });
  } // prettier-ignore

  it('say what has no time in one line each, and mark the kernels of the advice', async () => {
    const launch = (start: number) => ({ api: 'cudaLaunchKernel', start, dur: 5000 });
    const contents = pageContentsOf([
      { ...profileOn(A100), facts: { device_0_clock_shift_ns: -2_000_000, device_0_clock_bound_ns: 'na' } },
      ...Array.from({ length: 40 }, (_, i) =>
        kernel({ id: i + 1, start: 100_000 * i, dur: 40_000, launch: launch(100_000 * i - 5000) }),
      ),
      { type: 'end', profile: 0, counts: {}, diagnostics: { 'bad-row': 3, 'clocks-differ': 1, 'open-range': 2 } },
    ]);
    const { extras, events } = await loaded(contents);
    expect(extras.untimed).to.deep.equal([
      'rows with a missing or invalid value (value unknown, or row skipped): 3',
      "devices whose clock differs from the CPU's (aligned by their launches; a shift of na in the profile's facts: " +
        "could not be aligned): 1, device 0: its clock ran 2 ms ahead of the CPU's; its times were aligned, with unknown accuracy",
    ]);
    const kernels = contents.data.advice.flatMap(({ finding }) => finding.kernels.map((one) => [finding.rule, one]));
    expect(kernels).not.to.deep.equal([]);
    const found = extras.marks.filter(({ kind }) => kind === 'advice');
    expect(found.map(({ start, text }) => `${text.split(' ')[1]?.slice(0, -1)} ${start + events.origin}`)).to.have.members(
      kernels.map(([rule = '', one = '']) => `${rule} ${100_000 * (Number(one.split(':')[1]) - 1)}`),
    );
  }); // prettier-ignore
});
