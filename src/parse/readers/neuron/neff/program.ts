/** Builds a program's description from the header of its NEFF and a few of the archive's members. */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { Labels } from '../../../../record/record.js';
import { knownFacts } from '../profile-record.js';
import {
  joinTensors,
  instructionMembers,
  readDefinition,
  readNodes,
  readTensorMap,
  readSemaphores,
  readVariableNumbers,
  type NeffTensor,
  type NeffVariable,
  type MappedTensor,
  type TensorType,
} from './definition.js';
import { entryOf } from '../../../../containers/map-entry.js';
import { DebugLayers } from './debug-records.js';
import { GraphInstructions, programRoom } from './graph-instructions.js';
import type { NeffHeader } from './neff-header.js';
import { fileNameOf } from '../../../files.js';
import { fieldOf, listOf, parseJson, textOf } from '../../../json/json-value.js';
import type { TarMember } from '../../../input/tar.js';

export interface NeffProgram {
  /** 32 hexadecimal digits; '' when the file has no header. */
  readonly uuid: string;
  readonly facts: Labels;
  readonly tensors: readonly NeffTensor[];
  /** Instructions by subgraph; empty when not requested. */
  readonly graphs: ReadonlyMap<string, GraphInstructions>;
}

/**
 * Size limit of a member. Only one member is in memory at a time. The data kept from all members is limited by their
 * total size.
 */
const LARGEST_MEMBER = 16 * 1024 * 1024;
const LARGEST_PROGRAM = 8 * LARGEST_MEMBER;
/** Maximum number of subgraphs. A logical core has only a few physical cores. */
const MOST_GRAPHS = 1024;
/** Maximum number of names of members with instructions that are kept. A subgraph has about ten. */
const MOST_MEMBERS = 1 << 16;

/** Folder of a member that belongs to a subgraph, at any depth. */
const IN_GRAPH = /(?:^|\/)([^/]+)\/(def|tensor_map)\.json$/;
const OF_INSTRUCTIONS = /(?:^|\/)([^/]+)\/([^/]+\.(?:dbg(?:_sg\d+)?|bin))$/;
const OF_PROGRAM: readonly string[] = ['info.json', 'neff.json', 'hlo_stats.json'];
const KELF = /^kelf-\d+\.json$/;

export class ProgramBuilder {
  /** Bytes of all members read. */
  #read = 0;
  #info: object | null = null;
  #target: string | null = null;
  /** Statistics of the compiler's graph. */
  #statistics: object | null = null;
  #hasKelf = false;
  /** Folders of subgraphs, from the list of graphs. */
  readonly #graphs = new Set<string>();
  readonly #definitions = new Map<string, readonly NeffVariable[]>();
  readonly #maps = new Map<string, readonly MappedTensor[]>();
  #nodes: ReadonlyMap<string, TensorType> = new Map();
  readonly #instructions = new Map<string, GraphInstructions>();
  readonly #layers = new DebugLayers();
  /** Members with instructions, as named by definitions and as found in the archive, each with its folder. */
  readonly #named = new Set<string>();
  readonly #found = new Set<string>();
  readonly #room = programRoom();

  /** @param withInstructions whether to read the program's facts about its instructions */
  constructor(
    readonly header: NeffHeader | null,
    readonly diagnostics: Diagnostics,
    private readonly withInstructions: boolean,
  ) {}

  take(member: TarMember): void {
    const { name } = member;
    if (this.withInstructions && OF_INSTRUCTIONS.test(name)) {
      this.#takeInstructions(member);
      return;
    }
    const [, graph = '', part] = IN_GRAPH.exec(name) ?? [];
    if (part === undefined && !OF_PROGRAM.includes(name) && !KELF.test(name)) return;
    const json = this.#parse(member);
    if (json === null) return;
    if (name === 'info.json') this.#info = json;
    else if (name === 'neff.json') this.#nodes = readNodes(json);
    else if (name === 'hlo_stats.json') this.#statistics = json;
    else if (part === 'def') this.#takeDefinition(graph, json);
    else if (part === 'tensor_map') this.#maps.set(graph, readTensorMap(json));
    else this.#takeKelf(json);
  }

  /** Whether everything is read, so that the remaining members are not needed. */
  get isComplete(): boolean {
    for (const folder of this.#graphs) {
      if (!this.#definitions.has(folder) || !this.#maps.has(folder)) return false;
    }
    if (this.withInstructions && [...this.#named].some((name) => !this.#found.has(name))) return false;
    return this.#info !== null && this.#statistics !== null && this.#graphs.size > 0;
  }

  /** Whether no member was used. */
  get isEmpty(): boolean {
    return this.#info === null && !this.#hasKelf && this.#definitions.size === 0 && this.#maps.size === 0;
  }

  countMissing(): void {
    const folders = new Set([...this.#graphs, ...this.#definitions.keys(), ...this.#maps.keys()]);
    const missing = [...folders].flatMap((folder) => [this.#definitions.has(folder), this.#maps.has(folder)]);
    const present = [this.#info !== null, this.#hasKelf, ...missing];
    this.diagnostics.count('program-part-missing', present.filter((is) => !is).length);
  }

  build(): NeffProgram {
    const variables = [...this.#definitions.values()].flat();
    return {
      uuid: this.header?.uuid ?? '',
      facts: this.#facts(),
      tensors: joinTensors(variables, [...this.#maps.values()].flat(), this.#nodes),
      graphs: this.#instructions,
    };
  }

  #takeDefinition(graph: string, json: object): void {
    this.#definitions.set(graph, readDefinition(json));
    if (!this.withInstructions) return;
    const instructions = this.#graphOf(graph);
    instructions.takeVariables(readVariableNumbers(json));
    instructions.semaphores = readSemaphores(json);
    for (const name of instructionMembers(json)) this.#named.add(`${graph}/${name}`);
  }

  #takeInstructions(member: TarMember): void {
    const [, graph = '', file = ''] = OF_INSTRUCTIONS.exec(member.name) ?? [];
    if (this.#found.size < MOST_MEMBERS) this.#found.add(`${graph}/${file}`);
    const isLayer = DebugLayers.reads(file);
    if (!isLayer && !GraphInstructions.reads(file)) return;
    const bytes = this.#bytesOf(member);
    if (bytes === null) return;
    try {
      const isWhole = isLayer
        ? this.#layers.takeMember(file, bytes, () => this.#room.left-- > 0)
        : this.#graphOf(graph).takeMember(file, bytes);
      if (!isWhole) this.diagnostics.count('program-too-large');
    } catch {
      this.diagnostics.count('program-part-broken');
    }
  }

  #graphOf(name: string): GraphInstructions {
    return entryOf(this.#instructions, name, () => new GraphInstructions(name, this.#room, this.#layers));
  }

  /** The bytes of a member; null when it is too large, which is counted. */
  #bytesOf(member: TarMember): Buffer | null {
    if (member.size > Math.min(LARGEST_MEMBER, LARGEST_PROGRAM - this.#read)) {
      this.diagnostics.count('program-too-large');
      return null;
    }
    this.#read += member.size;
    return member.read();
  }

  /** The JSON object of a member; null when it is too large or invalid, which is counted. */
  #parse(member: TarMember): object | null {
    const bytes = this.#bytesOf(member);
    if (bytes === null) return null;
    const json = parseJson(bytes);
    if (typeof json === 'object' && json !== null) return json;
    this.diagnostics.count('program-part-broken');
    return null;
  }

  #takeKelf(json: unknown): void {
    this.#hasKelf = true;
    this.#target ??= textOf(fieldOf(json, 'target'));
    for (const graph of listOf(fieldOf(json, 'graphs')).slice(0, MOST_GRAPHS)) {
      const folder = IN_GRAPH.exec(textOf(fieldOf(graph, 'definition')) ?? '')?.[1] ?? textOf(fieldOf(graph, 'name'));
      if (folder !== null) this.#graphs.add(folder);
    }
  }

  #facts(): Labels {
    const { header } = this;
    return knownFacts({
      model: modelOf(header?.name) ?? modelOf(fieldOf(this.#info, 'name')),
      uuid: header?.uuid,
      compilerVersion: textOf(fieldOf(this.#info, 'tool_version')),
      target: this.#target,
      logicalCores: header?.logicalCores,
      // The field is 0 in files from before logical cores existed.
      lncSize: header?.coresPerLogical === 0 ? null : header?.coresPerLogical,
      packageVersion: header?.packageVersion,
      neffVersion: header === null ? null : `${header.major}.${header.minor}`,
      buildVersion: textOf(header?.buildVersion),
      features: textOf(header?.features.join(', ')),
      hash: header?.hash,
      headerBytes: header?.headerSize,
      dataBytes: header?.dataSize,
      hloMacs: macsOf(this.#statistics),
    });
  }
}

/** Multiply-accumulates of the compiler's graph; null when it counted none, as in a kernel written by hand. */
function macsOf(statistics: object | null): number | null {
  const macs = fieldOf(statistics, 'HloMacCount');
  return typeof macs === 'number' && macs > 0 ? macs : null;
}

/** Last part of a path: `compiler_cache/…/NAME` → `NAME`, because paths of the build machine must not be written. */
function modelOf(name: unknown): string | null {
  const path = textOf(name);
  return path === null ? null : textOf(fileNameOf(path));
}
