import { Tag } from '../../ui/feedback.tsx';

export function Scopes({ names }: { names: readonly string[] }) {
  return (
    <span class="scopes">
      {names.map((name) => (
        <Tag key={name}>{name}</Tag>
      ))}
    </span>
  );
}
