/**
 * Stacks as a file for speedscope: frames once, then for each profile its stacks as samples with weights in ns.
 * Source: speedscope's description of its file format (src/lib/file-format-spec.ts of jlfwong/speedscope).
 */
import { jsonOf } from '../../../record/control-characters.js';
import type { ProfileStacks } from '../../../prof/stacks/stack-sums.js';
import type { Write } from '../../output.js';
import { version } from '../../package-folder.js';

const SCHEMA = 'https://www.speedscope.app/file-format-schema.json';
/** `torch/nn/modules/linear.py:116` */
const SOURCE_LINE = /^(.+):(\d{1,9})$/;

function frame(name: string): object {
  const [, file, line] = SOURCE_LINE.exec(name) ?? [];
  return file === undefined ? { name } : { name, file, line: Number(line) };
}

/** Writes the file piece by piece. Profiles that are longer than a text may be are none of a screen's either. */
export async function speedscope(profiles: readonly ProfileStacks[], name: string, write: Write): Promise<void> {
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    let number = numbers.get(text);
    if (number === undefined) numbers.set(text, (number = numbers.size));
    return number;
  };
  await write(`{"$schema":${jsonOf(SCHEMA)},"exporter":${jsonOf(`dprof ${version()}`)}`);
  await write(`,"name":${jsonOf(name)},"activeProfileIndex":0,"profiles":[`);
  for (const [i, { name: title, stacks }] of profiles.entries()) {
    const head = { type: 'sampled', name: title, unit: 'nanoseconds', startValue: 0, endValue: stacks.total };
    await write(`${i === 0 ? '' : ','}${jsonOf(head).slice(0, -1)},"samples":[`);
    const weights: number[] = [];
    for (const { frames, ns } of stacks.sorted()) {
      await write(`${weights.length === 0 ? '' : ','}${JSON.stringify(frames.map(numberOf))}`);
      weights.push(ns);
    }
    await write(`],"weights":${JSON.stringify(weights)}}`);
  }
  await write('],"shared":{"frames":[');
  for (const [text, number] of numbers) await write(`${number === 0 ? '' : ','}${jsonOf(frame(text))}`);
  await write(']}}\n');
}
