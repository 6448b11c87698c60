import { type Piece, pieces } from '../text/hidden-characters.ts';

interface Props {
  text: string;
  marks?: readonly { start: number; end: number }[];
}

/** Text from outside. Shown as text only, in its own direction, with what cannot be seen named. */
export function Plain({ text, marks }: Props) {
  return (
    <bdi>
      {pieces(text, marks).map((piece) => (
        <PieceView key={piece.at} piece={piece} />
      ))}
    </bdi>
  );
}

function PieceView({ piece: { text, isHidden, isMarked } }: { piece: Piece }) {
  const shown = isHidden ? <span className="hidden-character">{text}</span> : text;
  return isMarked ? <mark>{shown}</mark> : shown;
}
