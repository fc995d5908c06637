import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { READERS } from '../../../../src/parse/registry.js';
import { readHead } from '../../../../src/parse/source.js';
import { itShared } from '../../../support/shared.js';
import { CAPTURES, realFile, withFile } from './tool-json-files.js';

/** Formats that claim a file of this text, in order. */
const claimed = (text: string | Buffer): string[] =>
  withFile(text, (path) => {
    const probe = { file: 'unknown', path, folder: null, head: readHead(path), database: null };
    return READERS.filter((reader) => reader.reads !== 'database' && reader.sniff(probe)).map(({ id }) => id);
  });

const rows = (count: number, row: string): string => `[${Array.from({ length: count }, () => row).join(',')}]`;

describe("Neuron: the tool's JSON is recognised by its content", () => {
  for (const capture of CAPTURES) {
    itShared(`claims ${capture.split('/')[2] ?? capture}, and no other format does`, [capture], ([path = '']) => {
      expect(claimed(realFile(path).text)).to.deep.equal(['neuron-json']);
    });
  }

  const ours: readonly (readonly [title: string, text: string])[] = [
    ['a summary alone', '{"summary":[{"total_time":0.1}]}'],
    ['tables with white space', '{\n  "warnings": [\n    {"message": "m"}],\n "metadata": [{}]}'],
    ['a byte order mark', '\ufeff{"ham":[],"pending_dma":[]}'],
    ['instructions alone', '{"instruction":[{"opcode":"MATMUL","timestamp":1}]}'],
    ['a first table that is not known', '{"cc_op":[{"a":1}],"ham":[{}],"summary":[{}]}'],
    [
      'a first table larger than what is searched',
      `{"dma":${rows(200_000, `{"dma_engine":"64","crc":${'1'.repeat(80)}}`)}}`,
    ],
  ];
  for (const [title, text] of ours) {
    it(`claims ${title}`, () => {
      expect(claimed(text)).to.deep.equal(['neuron-json']);
    });
  }

  const others: readonly (readonly [title: string, text: string])[] = [
    ['a PyTorch trace', '{"deviceProperties":[{"id":0}],"summary":[{}],"metadata":[{}],"traceEvents":[]}'],
    ['a report of neuron-monitor', '{"neuron_runtime_data":[],"summary":[{}],"warnings":[{}]}'],
    ['a summary by node', '{"n_0123":{"total_time":0.1,"hbm_read_bytes":5}}'],
    ['a wrapped summary', '{"Summary":[{"total_time":0.1}]}'],
    ['a bare summary', '{"total_time":0.1,"hbm_read_bytes":5}'],
    ['dparse records', '{"type":"profile","v":1}\n{"summary":[{"total_time":1}],"ham":[]}'],
    ['JSON with one such word', '{"summary":[{"title":"a"}],"pages":[]}'],
    ['tables that are no lists of rows', '{"summary":[1,2],"metadata":[3]}'],
    ['an empty object', '{}'],
    ['a list', '[{"summary":[{}],"ham":[{}]}]'],
    ['text', 'summary metadata ham'],
  ];
  for (const [title, text] of others) {
    it(`leaves ${title}`, () => {
      expect(claimed(text)).not.to.include('neuron-json');
    });
  }

  itShared(
    'leaves the other files of the vendor',
    ['data/neuron/neuron_monitor_trn1.jsonl', 'data/neuron/summary_trn1_partial.json'],
    (paths) => {
      for (const path of paths) expect(claimed(readFileSync(path)), path).not.to.include('neuron-json');
    },
  );
});
