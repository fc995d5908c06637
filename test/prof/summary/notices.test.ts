/** What the vendor's tool says of figures of DMA stands with them in a summary. */
import { expect } from 'chai';
import type { ProfileSummary } from '../../../src/prof/summary/summary-data.js';
import { instruction, neuronLines, neuronProfile, notice, packet } from '../../support/neuron.js';
import { runCli } from '../../support/run-cli.js';

const INACCURATE = 'Missing additional dynamic DMA metadata, reported DMA values may be inaccurate.';
const OTHER = 'Current NEFF is missing compiler metrics.';
const work = [neuronProfile(), instruction('MATMUL', 'Tensor', 0, 100), packet('dynamic', 0, 50, 4096)];

const summary = async (lines: string, ...args: readonly string[]): Promise<string> =>
  (await runCli('dprof', ['summary', ...args], { input: lines })).stdout;

describe("a notice of the vendor's tool about DMA", () => {
  it('stands once below the copies, in text, Markdown and JSON, and in what is made of partial answers', async () => {
    const lines = neuronLines([...work, notice(INACCURATE), notice(INACCURATE), notice(OTHER)]);
    const text = await summary(lines);
    expect(text).to.match(new RegExp(`^## Copies and memsets\n(?:.*\n)+?## DMA notices of the vendor's tool\n${INACCURATE}\n`, 'm')); // prettier-ignore
    expect(text).not.to.include(OTHER);
    expect(await summary(lines, '-f', 'markdown')).to.include(INACCURATE);
    expect((JSON.parse(await summary(lines, '-f', 'jsonl')) as ProfileSummary).notices).to.deep.equal([INACCURATE]);
    const { stdout: partial } = await runCli('dprof', ['partial'], { input: lines });
    expect(await summary(partial)).to.include(`\n${INACCURATE}\n`);
  });

  it('is not there without one', async () => {
    const lines = neuronLines([...work, notice(OTHER)]);
    expect(await summary(lines)).not.to.include('says of DMA');
    expect((JSON.parse(await summary(lines, '-f', 'jsonl')) as ProfileSummary).notices).to.deep.equal([]);
  });
});
