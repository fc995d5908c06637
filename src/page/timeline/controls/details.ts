/**
 * Texts about events of a timeline: details of the selected event, with links to its launch or to the events that it
 * launched, and the tooltip of the event under the pointer.
 */
import { elementAt } from '../../../containers/element.js';
import { button, element } from '../../document/dom-elements.js';
import {
  countOf,
  dependenciesOf,
  durOf,
  kindOf,
  launchedBy,
  startOf,
  textOf,
  type Dependent,
} from '../events/events.js';
import { spanButton } from '../../span/chosen-span.js';
import { inCategory, inLayer, ofOp } from '../../document/timeline-target.js';
import { allFacts, explainCommand, operandsOf, tensorsOf, shortFacts, type EventFact } from '../events/event-facts.js';
import { sameSequence } from '../events/kernel-facts.js';
import type { Scene } from '../model/scene.js';
import { isHostRange, type TimelineMark } from '../../../prof/html/timeline/timeline-data.js';
import { quantityText } from '../../document/units.js';
import type { TimelineCanvas } from '../draw/stage.js';
import { AXIS } from '../draw/pixels.js';
import { FittedLabels } from '../model/labels.js';
import { trackAt } from '../model/layout.js';
import { around } from '../model/view.js';
import { marksAt } from '../tracks/load-tracks.js';
import { momentText, readingOf, scaleText } from '../tracks/track.js';

/** Distance from the pointer in CSS pixels. */
const DISTANCE = 14;

/** An empty, hidden tooltip that follows the pointer. @param name its class */
function tipAtPointer(name: string, canvas: HTMLElement, signal: AbortSignal): HTMLElement {
  const tip = element('div', { class: name, hidden: true, 'aria-hidden': 'true' });
  const follow = ({ offsetX, offsetY }: PointerEvent): void => {
    const isRight = offsetX > canvas.clientWidth / 2;
    const isLow = offsetY > canvas.clientHeight / 2;
    tip.style.left = isRight ? '' : `${offsetX + DISTANCE}px`;
    tip.style.right = isRight ? `${canvas.clientWidth - offsetX + DISTANCE}px` : '';
    tip.style.top = isLow ? '' : `${offsetY + DISTANCE}px`;
    tip.style.bottom = isLow ? `${canvas.clientHeight - offsetY + DISTANCE}px` : '';
  };
  canvas.addEventListener('pointermove', follow, { signal });
  return tip;
}

export function showTip(scene: Scene, canvas: HTMLElement, signal: AbortSignal): HTMLElement {
  const tip = tipAtPointer('tl-tip', canvas, signal);
  scene.on(['hovered'], () => {
    const { hovered } = scene.shown;
    tip.hidden = hovered === null;
    if (hovered === null) return;
    tip.replaceChildren(
      element('b', {}, textOf(scene.events, 'name', hovered) ?? 'na'),
      ...shortFacts(scene.events, hovered).map(([name, value]) => element('div', {}, `${name}: ${value}`)),
    );
  });
  // After a click, the tooltip appears again only for another event.
  const hide = (): void => {
    tip.hidden = true;
  };
  canvas.addEventListener('pointerdown', hide, { signal });
  return tip;
}

/**
 * Distance in CSS pixels at which the pointer still hits a mark, and up to which it counts as not moved between press and
 * release.
 */
const NEAR = 3;
const MOST_MARKS = 6;

export function showTrackTip(scene: Scene, stage: TimelineCanvas, signal: AbortSignal): HTMLElement {
  const { canvas } = stage;
  const tip = tipAtPointer('tl-track-tip', canvas, signal);
  const perPixel = (): number => (scene.shown.view.to - scene.shown.view.from) / Math.max(1, stage.size.width);
  const marksUnder = (x: number, y: number): TimelineMark[] => {
    const isOn = y >= AXIS && stage.laneY(y) < scene.layout.marks;
    return isOn ? marksAt(scene.extras.marks, stage.timeAt(x), NEAR * perPixel()) : [];
  };
  const show = (x: number, y: number): void => {
    const marks = marksUnder(x, y);
    const placed = trackAt(scene.layout.tracks, stage.laneY(y));
    const time = stage.timeAt(x);
    const isInside = time >= 0 && time <= scene.events.span;
    tip.hidden = marks.length === 0 && (placed === null || !isInside);
    if (tip.hidden) return;
    if (placed === null)
      tip.replaceChildren(...marks.slice(0, MOST_MARKS).map((mark) => markText(scene, mark, perPixel())));
    else tip.replaceChildren(...trackTexts(scene, placed.track, time, perPixel()));
    if (placed === null && marks.length > MOST_MARKS) tip.append(`and ${marks.length - MOST_MARKS} more`);
  };
  const hide = (): void => {
    tip.hidden = true;
  };
  const move = ({ offsetX, offsetY, buttons }: PointerEvent): void => {
    // The tooltip would cover the events that a drag selects, or that a click has selected.
    if (buttons === 0 && !isStill(offsetX, offsetY)) show(offsetX, offsetY);
    else hide();
  };
  let pressed: readonly [x: number, y: number] = [NaN, NaN];
  const isStill = (x: number, y: number): boolean =>
    Math.abs(x - pressed[0]) <= NEAR && Math.abs(y - pressed[1]) <= NEAR;
  const press = ({ offsetX, offsetY }: PointerEvent): void => {
    pressed = [offsetX, offsetY];
    hide();
  };
  canvas.addEventListener('pointermove', move, { signal });
  canvas.addEventListener('pointerleave', hide, { signal });
  canvas.addEventListener('pointerdown', press, { signal });
  canvas.addEventListener(
    'click',
    ({ offsetX: x, offsetY: y }) => {
      const [mark] = marksUnder(x, y);
      if (mark !== undefined && isStill(x, y)) scene.look(around(mark.start, mark.end, scene.events.span));
    },
    { signal },
  );
  return tip;
}

function markText({ events }: Scene, { start, end, text }: TimelineMark, perPixel: number): HTMLElement {
  const momentOf = (at: number): string => momentText(at + events.origin, perPixel);
  const time =
    end > start
      ? `${momentOf(start)} to ${momentOf(end)} (${quantityText(end - start, 'ns')})`
      : `at ${momentOf(start)}`;
  return element('div', {}, element('b', {}, text), time);
}

function trackTexts({ extras, events }: Scene, number: number, time: number, perPixel: number): HTMLElement[] {
  const track = elementAt(extras.tracks, number);
  const { value, of: interval } = readingOf(track, time, perPixel, events.origin);
  const lines = [
    interval,
    `scale: ${scaleText(track)}`,
    `drawn: ${track.drawn} in each pixel (${quantityText(perPixel, 'ns')})`,
    track.about,
  ];
  return [element('b', {}, `${track.name}: ${value}`), ...lines.map((line) => element('div', {}, line))];
}

const MOST_LINKS = 20;
/** Characters of the name of a linked event. */
const LONGEST_LINK = 70;
const NAMES = new FittedLabels((text) => text.length);

/** Values that link to all events with the same value, with the condition of the search. */
const SEARCHES: Readonly<Record<string, ((value: string) => string) | undefined>> = {
  op: (op) => ofOp(op).condition,
  layer: (path) => inLayer([path]).condition,
  category: (category) => inCategory(category).condition,
};

/** A fact in a separate box, so that facts fill columns. */
const factBox = (title: string, ...values: readonly (HTMLElement | string)[]): HTMLElement =>
  element('div', {}, element('dt', {}, title), element('dd', { class: 'tl-links' }, ...values));

/** Groups of facts, by the names of the facts, each with its meaning. */
const GROUPS: readonly (readonly [title: string, meanings: Readonly<Record<string, string>>])[] = [
  [
    'What',
    {
      rank: "The event's rank",
      kind: 'What the event is: device work, the call that launched it, or a range of the program',
      'stands for': 'Short events next to each other are drawn as one bar',
      'all tabs': 'Restricts all tabs to the time of this range',
      'each event': 'The step in which the events of the bar are drawn separately',
      op: 'The op that the event belongs to; click to find all of them',
      layer: 'The layer of the network; click to find all its events',
      category: 'What the kernel computes; click to find all kernels of the category',
      direction: 'Forward (fprop) or backward (bprop)',
      forward: 'The forward op whose gradient this kernel computes',
      family: 'The kind of kernel, from its name',
      TC: 'The evidence for or against use of the matrix unit',
      'matrix unit': 'Whether the kernel ran on the matrix unit',
      trace: 'Call stack of the program, the innermost frame last',
    },
  ],
  [
    'Timing',
    {
      start: 'When the event began',
      'start in its profile': "When the event began, on the clock of its rank's profile",
      duration: 'Time from start to end',
      lane: 'The stream, queue or thread that ran it',
      'in the queue': 'Launch-to-start latency: from the end of the launch call to the start',
      occupancy: 'Occupancy: share of the threads that a multiprocessor can hold, and what limits it',
      bound: 'What limits the kernel: compute, memory bandwidth, or its own small size',
      device: 'The device whose peaks are used, and their source',
    },
  ],
  [
    'Operands',
    {
      operands: 'Inputs and outputs of the instruction',
      calls: 'The calls of ops that launched the kernel, with shapes and types of their arguments',
      tensors: 'Tensors of the call that describes the kernel: name, shape, element type, bytes',
      params: 'Shapes and types that FLOPs and bytes are computed from',
      formula: 'Formula of FLOPs and bytes',
      'source of the count': 'Source of the formula',
      dtype: 'Element type that the kernel computes in',
      FLOPs: 'Floating-point operations and rate, or the formula',
      'grid, block': 'Thread blocks of the launch / threads per block',
      registers: 'Registers per thread',
      'shared mem': 'On-chip memory per thread block',
    },
  ],
  [
    'Memory',
    {
      bytes: 'Bytes read and written and rate, or the formula',
      tensor: 'The tensor to which the packet belongs',
      source: 'The memory that the packet reads',
      destination: 'The memory that the packet writes',
      transfer: 'The transfer to which the packet belongs',
      queue: 'The queue of the DMA engine',
    },
  ],
  [
    'Ids and links',
    {
      id: 'Number of the kernel (column idx of dprof)',
      pc: 'Position in the program of the engine',
      'sequence id': 'Number shared by the forward and backward pass of an op',
      'raises semaphore': 'The semaphore that the packet increments when it ends',
      'launched by': 'The CPU call that launched this work',
      launched: 'The device work that the call launched',
      'forward, backward': 'Kernels with the same sequence id',
      'waited for': 'The events that this one waited for',
      'waited for by': 'The events that waited for this one',
      explain: 'The command that explains each value',
    },
  ],
];

/** The group of facts that no group names. */
const OTHERS = 'Operands';

/** Facts by group, each in a list with its title; groups without facts are left out. */
function groupedFacts(boxes: readonly HTMLElement[]): HTMLElement[] {
  const titleOf = (box: HTMLElement): string => box.querySelector('dt')?.textContent ?? '';
  const groupOf = (name: string): string => GROUPS.find(([, meanings]) => name in meanings)?.[0] ?? OTHERS;
  return GROUPS.flatMap(([title, meanings]) => {
    const members = boxes.filter((box) => groupOf(titleOf(box)) === title);
    for (const box of members) box.title = meanings[titleOf(box)] ?? 'As dprof --explain shows it';
    if (members.length === 0) return [];
    return [element('section', { 'aria-label': title }, element('h4', {}, title), element('dl', {}, ...members))];
  });
}

/** Matches the end of the call to which a count refers, as `--explain` writes it. */
const DESCRIBES = '<- describes the kernel';

/** Facts as a list; a fact without a name continues the previous one. */
function factItems(scene: Scene, facts: readonly EventFact[]): HTMLElement[] {
  const boxes: HTMLElement[] = [];
  const isPacket = facts.some(([name]) => name === 'destination');
  for (const [label, value] of facts) {
    // For a packet, this is the memory that it reads.
    const name = label === 'source' && !isPacket ? 'source of the count' : label;
    const condition = value === 'na' ? undefined : SEARCHES[name]?.(value);
    const shown =
      condition === undefined
        ? value
        : button(value, () => scene.set({ search: condition }), { title: `Search for ${condition}` });
    if (name === '') boxes.at(-1)?.append(element('dd', { class: 'tl-links' }, shown));
    else if (name === 'operands')
      boxes.push(factBox(name, ...operandsOf(value).map((operand) => element('div', {}, operand))));
    else boxes.push(factBox(name, shown));
  }
  const tensors = facts.flatMap(([, value]) => (value.endsWith(DESCRIBES) ? tensorsOf(value) : []));
  if (tensors.length > 0) boxes.push(factBox('tensors', ...tensors.map((tensor) => element('div', {}, tensor))));
  return boxes;
}

/** Another piece of the profile, and a function that shows it. */
export interface LinkedPiece {
  readonly name: string;
  readonly show: () => void;
}

/** Source of the events of a timeline. */
interface DetailsOptions {
  /** Index of the profile in its file, if the timeline shows only one. */
  readonly profile: number;
  readonly file: string;
  readonly pieceAt?: ((time: number) => LinkedPiece | null) | undefined;
}

export function showDetails(scene: Scene, { profile, file, pieceAt }: DetailsOptions): HTMLElement {
  const { events } = scene;
  const place = element('section', { class: 'tl-details', 'aria-live': 'polite', 'aria-label': 'Selected event' });
  const link = (event: number): HTMLElement => {
    const name = textOf(events, 'name', event) ?? `event ${event}`;
    const shown = NAMES.fitting(name, LONGEST_LINK, scene.differs.get(name));
    return button(shown, () => scene.select(event), { title: name });
  };
  const list = (title: string, items: readonly (HTMLElement | string)[]): HTMLElement[] => {
    if (items.length === 0) return [];
    const more = items.length > MOST_LINKS ? [` and ${items.length - MOST_LINKS} more`] : [];
    return [factBox(title, ...items.slice(0, MOST_LINKS), ...more)];
  };
  const links = (title: string, others: readonly number[]): HTMLElement[] => list(title, others.map(link));
  const dependents = (title: string, others: readonly Dependent[]): HTMLElement[] =>
    list(
      title,
      others.map(({ event, what }) => element('div', {}, event === null ? 'not shown' : link(event), ` (${what})`)),
    );
  const show = (): void => {
    const { event } = scene.shown;
    if (event === null) {
      place.replaceChildren(element('p', { class: 'tl-hint' }, 'Click an event for its details.'));
      return;
    }
    const launcher = elementAt(events.arrows.launcher, event);
    const command = explainCommand(events, event, profile, file);
    const { before, after } = dependenciesOf(events, event);
    const piece = countOf(events, event) > 1 ? (pieceAt?.(events.origin + startOf(events, event)) ?? null) : null;
    const start = events.origin + startOf(events, event);
    const isRange = isHostRange(kindOf(events, event)) && durOf(events, event) > 0;
    const facts = groupedFacts([
      ...factItems(scene, allFacts(events, event)),
      ...links('launched by', launcher === -1 ? [] : [launcher]),
      ...links('launched', launchedBy(events, event)),
      ...links('forward, backward', countOf(events, event) > 1 ? [] : sameSequence(events, event)),
      ...dependents('waited for', before),
      ...dependents('waited for by', after),
      ...(command === null ? [] : [factBox('explain', element('code', { class: 'tl-command' }, command))]),
      ...(piece === null ? [] : [factBox('each event', button(piece.name, piece.show))]),
      ...(isRange
        ? [factBox('all tabs', spanButton('Only this range', { from: start, to: start + durOf(events, event) }))]
        : []),
    ]);
    place.replaceChildren(
      element('h3', {}, textOf(events, 'name', event) ?? 'na'),
      element('div', { class: 'tl-facts' }, ...facts),
    );
  };
  scene.on(['event'], show);
  show();
  return place;
}
