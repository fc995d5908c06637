/** Records of a Neuron device trace by the kind of their section, and by their phase where they come in pairs. */
import { addTo } from '../../src/containers/map-entry.js';
import { SECTION } from '../../src/parse/readers/neuron/ntff/metadata.js';
import { NtffFile, RECORD_WORDS } from '../../src/parse/readers/neuron/ntff/ntff-file.js';
import { Diagnostics } from '../../src/record/diagnostics.js';
import type { PlainCount } from './plain-count.js';

/** The name of a record's category, by its first two words. */
const CATEGORY_OF: Readonly<Record<number, (head: number, values: number) => string>> = {
  [SECTION.instructions]: (head) => `instruction phase ${(head >>> 24) & 3}`,
  [SECTION.semaphores]: () => 'semaphore',
  [SECTION.dma]: (_, values) => `packet phase ${values & 15}`,
  [SECTION.throttle]: () => 'throttle',
};

export function countSections(path: string): PlainCount {
  const trace = new NtffFile(path, path);
  try {
    const counts: PlainCount = new Map();
    for (const section of trace.sections(new Diagnostics()))
      for (const { words, count } of trace.records(section))
        for (let at = 0; at < count * RECORD_WORDS; at += RECORD_WORDS) {
          const category = CATEGORY_OF[section.kind]?.(words[at] ?? 0, words[at + 1] ?? 0);
          addTo(counts, category ?? `section of kind ${section.kind}`, 1);
        }
    return counts;
  } finally {
    trace.close();
  }
}
