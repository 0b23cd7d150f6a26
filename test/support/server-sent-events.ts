/** Yields server-sent events one by one. */
export async function* eventsOf(response: Response): AsyncGenerator<{ name: string; data: never }> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (name) yield { name, data: JSON.parse(data!) as never };
    }
  }
}
