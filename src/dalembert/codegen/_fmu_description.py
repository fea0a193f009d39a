"""The XML files of a Functional Mock-up Unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as xml


@dataclass(frozen=True, slots=True)
class Variables:
    """What the outside sees; references count through time, states, derivatives, parameters, inputs, outputs."""

    states: tuple[tuple[str, float], ...]
    parameters: tuple[tuple[str, float], ...]
    inputs: tuple[tuple[str, float], ...]
    outputs: tuple[str, ...]

    @property
    def slope(self) -> int:
        """Reference of the first derivative."""
        return 1 + len(self.states)

    @property
    def output(self) -> int:
        """Reference of the first output."""
        return 1 + 2 * len(self.states) + len(self.parameters) + len(self.inputs)


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    causality: str
    variability: str
    initial: str | None = None
    start: float | None = None
    derivative_of: int | None = None  # reference of the state


def _entries(variables: Variables) -> list[_Entry]:
    """All variables; the place in the list is the reference."""
    clock = "t" if any(name == "time" for name, _ in variables.parameters) else "time"  # no parameter is named t
    found = [_Entry(clock, "independent", "continuous")]
    found += [_Entry(name, "output", "continuous", "exact", value) for name, value in variables.states]
    found += [
        _Entry(f"der({name})", "local", "continuous", "calculated", derivative_of=1 + i)
        for i, (name, _) in enumerate(variables.states)
    ]
    found += [_Entry(name, "parameter", "tunable", "exact", value) for name, value in variables.parameters]
    found += [_Entry(name, "input", "continuous", None, value) for name, value in variables.inputs]
    found += [_Entry(name, "output", "continuous", "calculated") for name in variables.outputs]
    return found


def model_description(
    name: str, identifier: str, token: str, version: str, variables: Variables, sources: Sequence[str]
) -> bytes:
    """modelDescription.xml"""
    root = xml.Element("fmiModelDescription", fmiVersion=version, modelName=name)
    root.set("instantiationToken" if version == "3.0" else "guid", token)
    root.set("generationTool", "dalembert")
    root.set("variableNamingConvention", "flat")
    if version == "2.0":
        root.set("numberOfEventIndicators", "0")
    capability = "canGetAndSetFMUState" if version == "3.0" else "canGetAndSetFMUstate"
    serial = "canSerializeFMUState" if version == "3.0" else "canSerializeFMUstate"
    for kind in ("ModelExchange", "CoSimulation"):
        element = xml.SubElement(root, kind, modelIdentifier=identifier)
        if kind == "CoSimulation":
            element.set("canHandleVariableCommunicationStepSize", "true")
        element.set(capability, "true")
        element.set(serial, "true")
        if version == "2.0":
            files = xml.SubElement(element, "SourceFiles")
            for file in sources:
                xml.SubElement(files, "File", name=file)
    xml.SubElement(root, "DefaultExperiment", startTime="0.0", stopTime="10.0", tolerance="1e-6")
    listed = xml.SubElement(root, "ModelVariables")
    for reference, entry in enumerate(_entries(variables)):
        (_variable3 if version == "3.0" else _variable2)(listed, reference, entry)
    structure = xml.SubElement(root, "ModelStructure")
    (_structure3 if version == "3.0" else _structure2)(structure, variables)
    return _bytes(root)


def _common(element: xml.Element, reference: int, entry: _Entry) -> None:
    element.set("name", entry.name)
    element.set("valueReference", str(reference))
    element.set("causality", entry.causality)
    element.set("variability", entry.variability)
    if entry.initial:
        element.set("initial", entry.initial)


def _variable2(listed: xml.Element, reference: int, entry: _Entry) -> None:
    element = xml.SubElement(listed, "ScalarVariable")
    _common(element, reference, entry)
    real = xml.SubElement(element, "Real")
    if entry.start is not None:
        real.set("start", repr(float(entry.start)))
    if entry.derivative_of is not None:
        real.set("derivative", str(entry.derivative_of + 1))  # places count from 1


def _variable3(listed: xml.Element, reference: int, entry: _Entry) -> None:
    element = xml.SubElement(listed, "Float64")
    _common(element, reference, entry)
    if entry.start is not None:
        element.set("start", repr(float(entry.start)))
    if entry.derivative_of is not None:
        element.set("derivative", str(entry.derivative_of))


def _output_references(variables: Variables) -> list[int]:
    states = [1 + i for i in range(len(variables.states))]
    return [*states, *(variables.output + i for i in range(len(variables.outputs)))]


def _structure2(structure: xml.Element, variables: Variables) -> None:
    slopes = [variables.slope + i for i in range(len(variables.states))]
    groups = {"Outputs": _output_references(variables), "Derivatives": slopes}
    groups["InitialUnknowns"] = [*slopes, *(variables.output + i for i in range(len(variables.outputs)))]
    for group, references in groups.items():
        if references:
            element = xml.SubElement(structure, group)
            for reference in sorted(references):
                xml.SubElement(element, "Unknown", index=str(reference + 1))


def _structure3(structure: xml.Element, variables: Variables) -> None:
    slopes = [variables.slope + i for i in range(len(variables.states))]
    computed = [variables.output + i for i in range(len(variables.outputs))]
    for reference in _output_references(variables):
        xml.SubElement(structure, "Output", valueReference=str(reference))
    for reference in slopes:
        xml.SubElement(structure, "ContinuousStateDerivative", valueReference=str(reference))
    for reference in [*slopes, *computed]:
        xml.SubElement(structure, "InitialUnknown", valueReference=str(reference))


def build_description(identifier: str, sources: Sequence[str]) -> bytes:
    """sources/buildDescription.xml of FMI 3.0."""
    root = xml.Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = xml.SubElement(root, "BuildConfiguration", modelIdentifier=identifier)
    files = xml.SubElement(configuration, "SourceFileSet", language="C99")
    for file in sources:
        xml.SubElement(files, "SourceFile", name=file)
    return _bytes(root)


def _bytes(root: xml.Element) -> bytes:
    xml.indent(root)
    return bytes(xml.tostring(root, encoding="UTF-8", xml_declaration=True))
