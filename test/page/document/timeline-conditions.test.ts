/** Links of tables to the timeline: each finds what its row is about, or the row is no link. */
import { expect } from 'chai';
import { join } from 'node:path';
import { entryOf } from '../../../src/containers/map-entry.js';
import { annotationKinds } from '../../../src/page/charts/annotation-kinds.js';
import {
  hasEvents,
  inLayer,
  kernelsInLayer,
  kernelsNamed,
  ofOp,
  ofRange,
  type NamedEvents,
} from '../../../src/page/document/timeline-target.js';
import { loadEvents, type TimelineEvents } from '../../../src/page/timeline/events/events.js';
import { search } from '../../../src/page/timeline/model/search.js';
import type { PageProfile } from '../../../src/prof/html/page-data.js';
import type { RangeRecord } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { pageContentsOf, pageContentsOfFile, piecesOf } from '../../support/pages.js';
import { itEachShared, ROOT } from '../../support/shared.js';

type Contents = ReturnType<typeof pageContentsOf>;

/** What the rows of all tables lead to. */
function rowsOf({ kernels, roofline, ops, layers, annotations, overview }: PageProfile): NamedEvents[] {
  const slowest = layers.shown.flatMap(({ path, why }) =>
    Object.values(why).flatMap((one) => (one === null ? [] : [kernelsInLayer(path, one.slowest.name)])),
  );
  return [
    ...kernels.shown.map(({ name }) => kernelsNamed(name)),
    ...roofline.points.map((point) => kernelsNamed(point.kernel)),
    ...[...ops.shown, ...roofline.points].flatMap(({ op }) => (op === null ? [] : [ofOp(op)])),
    ...layers.shown.map(({ path }) => inLayer(path)),
    ...slowest,
    ...(overview.host?.layers ?? []).map(({ name }) => ofRange(name, [name])),
    ...annotations.shown.map(({ text }) => ofRange(text, [text])),
    ...annotationKinds(annotations.shown).map(({ name, members }) => ofRange(name, members.map(({ text }) => text))), // prettier-ignore
  ];
}

const isFound = (pieces: readonly TimelineEvents[], { condition }: NamedEvents): boolean =>
  pieces.some((events) => (search(events, condition)?.list.length ?? 0) > 0);

/** @returns how many rows are links, and how many are none */
async function checkedLinks(contents: Contents): Promise<{ links: number; others: string[] }> {
  const all = piecesOf(contents);
  let links = 0;
  const others: string[] = [];
  for (const [at, profile] of contents.data.profiles.entries()) {
    const { timeline } = profile;
    if (timeline === null) continue;
    const pieces = await Promise.all((all[at] ?? []).flatMap((piece) => (piece === null ? [] : [loadEvents(piece)])));
    const found = new Map<string, boolean>();
    for (const row of rowsOf(profile)) {
      const isLink = hasEvents(timeline, row);
      const isThere = entryOf(found, row.condition, () => isFound(pieces, row));
      expect(isThere, row.condition).to.equal(isLink);
      if (isLink) links++;
      else others.push(row.condition);
    }
  }
  return { links, others };
}

const range = (kind: RangeRecord['kind'], text: string, domain: string | null = null): RangeRecord => ({
  ...{ type: 'range', profile: 0, start: 0, dur: 10, self: 10, pid: 10, tid: 100, domain, text },
  ...(kind === undefined ? {} : { kind }),
});

describe('links of tables to the timeline', () => {
  it('find ranges of the host by the names of tables', async () => {
    const contents = pageContentsOf([
      range('layer', 'nn.Module: ViT_0'),
      range('op', 'aten::copy_, op_id = 990813'),
      range('op', 'aten::view'),
      range('annotation', 'ProfilerStep#7'),
      range('annotation', 'execute', 'TensorRT'),
      range('marker', "{'mod': 'torch', 'op': 'relu', 'args': []}"),
      kernel({ id: 1, start: 20, dur: 5, ranges: ['aten::copy_, op_id = 990813', 'gone'], layer: ['ViT_0'] }),
    ]);
    const { others } = await checkedLinks(contents);
    expect(new Set(others)).to.deep.equal(new Set(['range=="gone"']));
    const [profile] = contents.data.profiles as [PageProfile];
    const texts = profile.annotations.shown.map(({ text }) => text);
    expect(texts).to.include.members(['aten::copy_', 'ProfilerStep#', 'TensorRT:execute', 'ViT_0']);
    expect(profile.ops.shown.map(({ op }) => op)).to.include.members(['view', 'copy_', 'relu']);
  });

  it('find layers whose names hold a slash', () => {
    expect(inLayer(['a/b', 'c']).condition).to.equal('layer=="a" && layer=="b" && layer=="c"');
  });

  for (const name of ['lenet.pt.trace.json.gz', 'transformer.nsys.sqlite', 'lenet.nvprof.sql', 'attention.neuron.json'])
    it(`find something in each case, or are none: ${name}`, async () => {
      const { links } = await checkedLinks(await pageContentsOfFile(join(ROOT, 'samples', name)));
      expect(links).to.be.above(5);
    });

  itEachShared(
    [
      'data/kineto/mi300_norm_layers_training.json.gz',
      'data/nsys/vsr_a100_pyprof.sqlite',
      'data/nvprof/lm_v100.net.sql',
    ],
    [
      'data/kineto/h100_vit.json.gz',
      'data/kineto/mi300_resnet_training.json.gz',
      'data/nsys/nvtx_only.sqlite',
      'data/nsys/fsdp_2proc.sqlite',
    ],
    (name) => `find something in each case, or are none: ${name.replace('data/', '')}`,
    async (path) => {
      const { links, others } = await checkedLinks(await pageContentsOfFile(path));
      expect(links).to.be.above(others.length);
    },
  );
});
