import { useState } from 'preact/hooks';
import { toCurl, toJavaScript, toPython } from '../../../../server/console/request-code.ts';
import { key } from '../../../shell/key.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Switch } from '../../../ui/fields.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { mcpText } from './mcp-text.ts';
import { type NamedSource, requestForm, withKey } from './request-form.ts';

const LANGUAGES = [
  { id: 'curl', title: 'curl' },
  { id: 'javascript', title: 'JavaScript' },
  { id: 'python', title: 'Python' },
  { id: 'mcp', title: 'MCP' },
] as const;
type Language = (typeof LANGUAGES)[number]['id'];

const TEXTS = { curl: toCurl, javascript: toJavaScript, python: toPython };

/** Shows the page's request as code to copy. */
export function RequestCode(request: NamedSource) {
  const [language, setLanguage] = useState<Language>('curl');
  const [isWithKey, setWithKey] = useState(false);
  const text = () => {
    if (language === 'mcp') return '';
    const written = TEXTS[language](requestForm(request, location.origin));
    return isWithKey ? withKey(written, key.value ?? '') : written;
  };
  return (
    <section class="same-request">
      <h2>The same request</h2>
      <Tabs label="Languages" tabs={LANGUAGES} selected={language} onSelect={(id) => setLanguage(id)}>
        {language === 'mcp' ? (
          <ToolCall {...request} />
        ) : (
          <>
            <CodeBlock label={`The request with ${language}`} text={text()} />
            <Switch
              label="With my key"
              help={isWithKey ? 'Whoever sees this text can use your key.' : 'Otherwise uses $KEY.'}
              isOn={isWithKey}
              onValue={setWithKey}
            />
          </>
        )}
      </Tabs>
    </section>
  );
}

function ToolCall(request: NamedSource) {
  const { text, leftOut } = mcpText(request);
  if (text === undefined)
    return <p class="help">Agents have no tool for this operation; they call it over HTTP as programs do.</p>;
  return (
    <>
      <CodeBlock label="The call of the tool" text={text} />
      <p class="help">
        For an agent that knows <code>{location.origin}/api/mcp</code>.
        {leftOut.length > 0 && ` The tool does not take ${leftOut.join(', ')}.`}
      </p>
    </>
  );
}
