/** The list of pieces, and buttons that go to the piece before and after. */
import type { PageTimeline } from '../../../prof/html/timeline/timeline-data.js';
import { button, element, select } from '../../document/dom-elements.js';
import { besides, pieceLabel } from './piece-choice.js';

interface PiecePicker {
  readonly place: HTMLElement;
  readonly show: (piece: number) => void;
}

export function pickPiece(timeline: PageTimeline, choose: (piece: number) => void): PiecePicker {
  let shown = timeline.first;
  const choices = timeline.pieces.map((piece, at) => [at, pieceLabel(piece)] as const);
  const list = select('Show', choices, shown, choose);
  const step = (by: 1 | -1): void => choose(besides(timeline, shown, by));
  const previous = button('‹', () => step(-1), { 'aria-label': 'Piece before', title: 'piece before ([)' });
  const next = button('›', () => step(1), { 'aria-label': 'Piece after', title: 'piece after (])' });
  return {
    place: element('div', { class: 'tl-picker' }, list, previous, next),
    show: (piece) => {
      shown = piece;
      const box = list.querySelector('select');
      if (box !== null) box.value = String(piece);
      previous.toggleAttribute('disabled', piece <= 1);
      next.toggleAttribute('disabled', piece >= timeline.pieces.length - 1);
    },
  };
}
