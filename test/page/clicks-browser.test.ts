/**
 * How many clicks lead from the first screen of a page to the answers that users look for, on real profiles of each kind:
 * the longest op, layer and line, why the device was idle, which step and which rank was slow.
 */
import { expect } from 'chai';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { freshFolder } from '../support/fresh-path.js';
import { bundledProgram } from '../support/page-program.js';
import { atRest } from '../support/page-waits.js';
import { pageContentsOfFile } from '../support/pages.js';
import { itEachShared } from '../support/shared.js';
import { writePages } from './written-pages.js';

const MOST_CLICKS = 2;

const CLICKS = {
  tab: (page: Page, name: string) => page.getByRole('tab', { name, exact: true }),
  link: (page: Page, name: string) => page.locator('main nav').getByRole('link', { name, exact: true }),
  sort: (page: Page, name: string) => page.locator('[data-panel="layers"] th').getByRole('button', { name }),
} as const;
type Click = readonly [kind: keyof typeof CLICKS, name: string];
/** What is on the screen after some clicks, or at once. */
type Answer = readonly [what: string, text: RegExp, ...clicks: readonly Click[]];

const LAYERS: Click = ['tab', 'Layers'];
const BY_OWN: readonly Click[] = [LAYERS, ['sort', 'Own']];
const LINES: readonly Click[] = [LAYERS, ['link', 'Lines']];
const STEPS: Click = ['link', 'Steps'];
const ELSEWHERE = (panel: string): readonly Click[] => [
  ['tab', 'Diagnostics'],
  ['link', panel],
];

const RANGES_OF_LAYERS = /An? (?:NVTX|rocTX) range around each layer, named "layer:conv1", records it/;
const NO_STACKS = /The profile has no call stacks\. .*with_stack=True/;
const NO_STEPS = /The profile has no steps\..*"step 1"/;
const UNCOMPARED: Answer = ['rank', /The page holds one profile/, ...ELSEWHERE('Ranks compared')];

/** Longest by the sums of durations in the profile itself; the words are those of the page. */
const ANSWERS: Readonly<Record<string, readonly Answer[]>> = {
  'data/kineto/h100_owlv2.json.gz': [
    ['op', /softmax is 47\.6 %/],
    ['layer', /Owlv2Attention_6/, ...BY_OWN],
    ['line', /modeling_owlv2\.py:410/, ...LINES],
    ['line of the op softmax', /softmax \|.* modeling_owlv2\.py:410/, ['tab', 'Kernels']],
    ['idle', /GPU idle 47\.4 %: the CPU is loading data/],
    ['step', /Only one step/, STEPS],
    UNCOMPARED,
  ],
  'data/nsys/fsdp_2proc.sqlite': [
    ['op', /_flash_attn_forward is 50\.3 %/],
    ['layer', RANGES_OF_LAYERS, LAYERS, ['link', 'Layers']],
    ['line', NO_STACKS, ...LINES],
    ['idle', /Idle: waiting for launches/],
    ['step', NO_STEPS, STEPS],
    ['rank', /device 1/, ['tab', 'Ranks']],
  ],
  'data/amd/vllm_mi300.rpd.gz': [
    ['op', /_scaled_mm is at least 50\.4 %/],
    ['layer', RANGES_OF_LAYERS, LAYERS, ['link', 'Layers']],
    ['line', NO_STACKS, ...LINES],
    ['idle', /Idle: waiting for launches/],
    ['step', NO_STEPS, STEPS],
    UNCOMPARED,
  ],
  'data/ascend/text_level2_rank0': [
    ['op', /convolution_backward is 22\.5 %/],
    ['layer', /Conv2d_0/, ...BY_OWN],
    ['line', /alexnet\.py:48/, ...LINES],
    ['idle', /the CPU launches kernels too slowly/],
    ['step', /Only one step/, STEPS],
    ['rank', /perhaps for a rank that began later/],
  ],
  'data/neuron/trn2_fused_bf16_s1024': [
    ['instruction', /MATMUL is 36\.2 %/],
    ['layer', /\/sg00/, ['tab', 'Program']],
    ['idle', /idle 12\.4 %: engines wait for each other \(barrier \$S\[2\]\)/],
    ['line', /NEURON_FRAMEWORK_DEBUG=1/, ...ELSEWHERE('Not in this capture')],
    ['step', /Give several captures to compare executions/, ...ELSEWHERE('Not in this capture')],
    ['rank', /The page holds one profile/, ...ELSEWHERE('Not in this capture')],
  ],
  'data/kineto/a100_rank3of8_training.json.gz': [
    ['op', /SplitLookupFunction_rowwise_adagrad_Op is 20\.7 %/],
    ['layer', /record_function\("layer:conv1"\)/, LAYERS, ['link', 'Layers']],
    ['line', NO_STACKS, ...LINES],
    ['idle', /Idle 16\.4 %: the CPU launches kernels too slowly/],
    ['step', /80\.585/, STEPS],
    UNCOMPARED,
  ],
  'data/kineto/mi300_resnet_training.json.gz': [
    ['op', /convolution_backward is at least 20\.6 %/],
    ['layer', /BatchNorm2d_0/, ...BY_OWN],
    ['line', /resnet\.py:89/, ...LINES],
    ['idle', /cause not recorded/, ['link', 'Idle time']],
    ['step', /18\.983/, STEPS],
    ['rank', /look for a late rank or a slow link/],
  ],
  'data/nsys/cuda_graph_rtx3060.sqlite': [
    ['kernel', /add_one/],
    ['layer', RANGES_OF_LAYERS, ...ELSEWHERE('Layers')],
    ['line', NO_STACKS, ...ELSEWHERE('Lines')],
    ['idle', /GPU idle 95\.8 %: the CPU launches kernels too slowly/],
    ['step', NO_STEPS, STEPS],
    UNCOMPARED,
  ],
  'data/nvprof/lm_v100.net.sql': [
    ['op', /linear is 42\.0 %/],
    ['layer', RANGES_OF_LAYERS, LAYERS, ['link', 'Layers']],
    ['line', /language-model\.py:111/, LAYERS],
    ['idle', /the CPU is busy in cudaMalloc/],
    ['step', NO_STEPS, STEPS],
    UNCOMPARED,
  ],
};

/** Strings of elements that are at least in part in the window. */
const ON_SCREEN = `[...document.body.querySelectorAll('*')].filter((one) => {
  const { top, bottom } = one.getBoundingClientRect();
  const hasText = [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== '');
  return hasText && one.checkVisibility() && bottom > 0 && top < innerHeight;
}).map((one) => one.textContent).join(' | ')`;

async function isAnswered(page: Page, [what, text, ...clicks]: Answer): Promise<void> {
  expect(clicks.length, what).to.be.at.most(MOST_CLICKS);
  for (const [kind, name] of clicks) {
    await CLICKS[kind](page, name).first().click();
    await atRest(page);
  }
  expect(await page.evaluate<string>(ON_SCREEN), what).to.match(text);
}

/** One of each kind; long runs take the others too. */
const SAMPLED = [
  'data/kineto/h100_owlv2.json.gz',
  'data/nsys/fsdp_2proc.sqlite',
  'data/neuron/trn2_fused_bf16_s1024',
  'data/nsys/cuda_graph_rtx3060.sqlite',
];

describeInBrowser('answers of a page', (open) => {
  const folder = freshFolder();
  const check = async (path: string, name: string): Promise<void> => {
    const page = basename(name);
    writePages(folder, bundledProgram(), { [page]: await pageContentsOfFile(path) });
    for (const answer of ANSWERS[name] ?? []) {
      const shown = await open(join(folder, `${page}.html`), { viewport: { width: 1280, height: 800 } });
      await isAnswered(shown.page, answer);
      expect(shown.complaints).to.deep.equal([]);
      await shown.page.goto('about:blank');
    }
  };
  const others = Object.keys(ANSWERS).filter((name) => !SAMPLED.includes(name));
  itEachShared(SAMPLED, others, (name) => `are at most ${MOST_CLICKS} clicks away: ${name}`, check);
});
